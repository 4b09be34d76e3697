/// The state machine of the exchange of one collection (SPEC §3).
///
/// ## Theory of operation
///
/// Whoever owns it tells it what happened, ``receive(_:_:)``, and carries out the ``Step`` that comes back. It decides and never
/// acts: it has no clock, no network and no store. An input is first classified as an event; ``ExchangePhase/transition(on:)``
/// then chooses the phase and the actions, and is the only place that does.
///
/// What the drawing shows is ``standing``: five phases, and why the last two were entered. What it does not show, since it chooses
/// events and no phase:
///
/// - ``request``: the request that is out, with its edits that no result has settled.
/// - ``ExchangeMemory``: what went wrong, kept over processes. It makes batches and pages smaller, sends a GET before a POST, and
///   finds the one record that makes POSTs fail (``LoneFailures``).
/// - ``walk``, ``refusals`` and ``beginnings``: how far this sync has read the feed. They end a feed without an end (I8), and the sync
///   ends them.
/// - ``postponed``: what waits for the next sync.
///
/// Where the feed was read to, and whether a full resync is requested or running, is the store's `CollectionState`, and no business
/// of the machine: ``ExchangeAction/pass`` moves the cursor, ``ExchangeAction/startOver`` keeps that it was refused, and
/// ``ExchangeAction/endListing`` ends a full resync.
///
/// Names are those of records and of watermarks, and compare as they do on the wire: by code point.
@usableFromInline
package struct ExchangeMachine<Name: Hashable & Sendable, Failure: Hashable & Sendable>: Hashable, Sendable {
    /// Where an exchange stands, and why.
    package enum Standing: Hashable, Sendable {
        /// Nothing is under way.
        case idle

        /// A GET is out.
        case getting

        /// A POST is out.
        case posting

        /// The next try is set. Nil where the store could not take in an answer.
        case waiting(because: Failure?)

        /// Only the app can end it. `mayTry` says whether a sync that is asked for makes one try, as the credentials may be good by now.
        case paused(because: Failure?, mayTry: Bool)
    }

    /// An edit that is out.
    @usableFromInline package struct Posted: Hashable, Sendable {
        /// The name under which the server answers it (W4).
        @usableFromInline package let requestID: String

        /// The record.
        @usableFromInline package let name: Name

        /// Names an edit.
        package init(requestID: String, name: Name) {
            self.requestID = requestID
            self.name = name
        }
    }

    /// The request that is out, or was last.
    @usableFromInline package struct Request: Hashable, Sendable {
        /// Grows with each request.
        package var number = 0

        /// The edits that no result has settled, in the order in which they were posted; none in a GET.
        @usableFromInline package var posted: [Posted] = []

        /// Whether the app renewed its credentials since it was sent: what the former ones brought says nothing of the new ones.
        var isRenewed = false

        /// The record of an edit that is out; nil for one that is not, or was settled before.
        @inlinable package func name(of requestID: String) -> Name? {
            self.posted.first { $0.requestID == requestID }?.name
        }

        /// A result came for an edit.
        @inlinable package mutating func settle(_ requestID: String) {
            // Results come in the order of the edits as a rule.
            if self.posted.first?.requestID == requestID {
                self.posted.removeFirst()
            } else {
                self.posted.removeAll { $0.requestID == requestID }
            }
        }
    }

    /// Where the exchange stands.
    package private(set) var standing = Standing.idle

    /// The request that is out, or was last.
    @usableFromInline package var request = Request()

    /// What waits for the next sync.
    package var postponed = Postponed<Name>()

    /// What outlives the process.
    package internal(set) var memory: ExchangeMemory<Name, Failure>

    /// The way of this sync through the feed.
    var walk = FeedWalk<Name>()

    /// How often the server refused a cursor or token in this sync.
    var refusals = 0

    /// How often this sync was given the beginning of a listing, and not its end.
    var beginnings = 0

    /// Makes the machine of an exchange that has not begun in this process.
    ///
    /// - Parameter number: The number of the last request, where answers to former ones may still come.
    package init(memory: ExchangeMemory<Name, Failure> = ExchangeMemory(), after number: Int = 0) {
        self.memory = memory
        self.request.number = number
    }

    /// Where it stands, as the drawing shows it.
    package var phase: ExchangePhase {
        switch self.standing {
        case .idle: .idle
        case .getting: .getting
        case .posting: .posting
        case .waiting: .waiting
        case .paused: .paused
        }
    }

    /// Why it waits or pauses; nil where it does neither.
    package var failure: Failure? {
        switch self.standing {
        case .idle, .getting, .posting: nil
        case .waiting(let failure), .paused(let failure, _): failure
        }
    }

    /// Whether a request is out.
    package var isUnderWay: Bool { self.standing == .getting || self.standing == .posting }

    /// Whether an answer to a request is waited for; one to another request is late.
    package func isAwaiting(_ number: Int) -> Bool { self.isUnderWay && self.request.number == number }

    /// How many rows a page brings now.
    package func pageSize(_ limits: ExchangeLimits) -> Int { self.memory.pageSize ?? limits.pageSize }

    /// How many edits go at a time now.
    package func batchSize(_ limits: ExchangeLimits) -> Int {
        min(self.memory.batchSize ?? limits.batchSize, limits.batchSize)
    }

    /// Whether edits are out that no result has settled. One that was answered has not failed, whatever follows.
    var isPosting: Bool { self.standing == .posting && !self.request.posted.isEmpty }

    /// The one record that was posted alone; nil otherwise.
    var lone: Name? { self.request.posted.count == 1 ? self.request.posted.first?.name : nil }
}

// MARK: - Inputs and steps

extension ExchangeMachine {
    /// What can happen.
    package enum Input: Hashable, Sendable {
        /// Someone asks for a sync, or a wait ended.
        case requested(Outlook)

        /// An answer was taken in: what is next?
        case next(Outlook)

        /// The results of an answer were taken in, and its page, if it counts; nil where it does not, so that the cursor stays.
        case answered(Page?)

        /// The exchange failed, or what is left of it: a result that was taken in before counts.
        case failed(Failed)

        /// The app renewed its credentials, or wants what was paused to go on (SPEC §3.5).
        ///
        /// - Parameter hasAccount: Whether the store belongs to an account.
        case renewed(hasAccount: Bool)

        /// The store could not take in what came.
        case storeFailed
    }

    /// What there is to do.
    package struct Outlook: Hashable, Sendable {
        /// Whether there is something to send.
        package var hasEdits: Bool

        /// The edits of the next POST; nil until they are chosen, which is done if ``ExchangeMachine/mayPost(_:)``.
        package var chosen: [Posted]?

        /// Whether the feed was read to its end.
        package var isAtEnd: Bool

        /// Why all that is left waits for the next sync; nil where nothing is left.
        package var waiting: Failure?

        /// How to say that the server wants to be left alone; nil where it does not.
        package var rest: Failure?

        /// Describes what there is to do.
        package init(
            hasEdits: Bool, chosen: [Posted]? = nil, isAtEnd: Bool = false, waiting: Failure? = nil,
            rest: Failure? = nil
        ) {
            self.hasEdits = hasEdits
            self.chosen = chosen
            self.isAtEnd = isAtEnd
            self.waiting = waiting
            self.rest = rest
        }
    }

    /// One transition, and what it leads to.
    package struct Step: Hashable, Sendable {
        /// What it amounted to.
        package let event: ExchangeEvent

        /// The phase before.
        package let source: ExchangePhase

        /// The phase after.
        package let target: ExchangePhase

        /// What to do, in the order of ``ExchangeAction/inOrder``.
        package let actions: ExchangeActions

        /// The edits that were out when it happened and that no result has settled, in the order in which they were posted.
        package let posted: [Posted]

        /// The record that ``ExchangeAction/charge`` counts a failure against, and that failure; nil for none.
        package let suspect: Suspect?

        /// Why the sync ends here; nil where it does not, or where nothing is left to do.
        package let failure: Failure?

        /// How long a policy wants ``ExchangeAction/backOff`` to wait; nil for what the server asked for, or the back-off.
        package let wait: Duration?

        /// Why the feed is not followed, which the next input says as a failure; nil where it is.
        package let standstill: Standstill?
    }

    /// A record that failed alone.
    package struct Suspect: Hashable, Sendable {
        /// The record.
        package let name: Name

        /// What it failed with; nil where that is not known any more.
        package let failure: Failure?
    }

    /// Takes in what happened.
    package mutating func receive(_ input: Input, _ limits: ExchangeLimits) -> Step {
        switch input {
        case .requested(let outlook), .next(let outlook):
            let event = self.due(by: input, isChosen: outlook.chosen?.isEmpty == false)
            if event == .postponed { self.memory.attempts = self.postponed.triesBefore }
            let reason = event == .dueTooEarly ? outlook.rest : event == .postponed ? outlook.waiting : self.failure
            return self.take(event, reason, limits, chosen: outlook.chosen ?? [])
        case .answered(let page):
            self.recogniseAccount()
            guard let page else { return self.take(.appliedInPart, nil, limits) }
            let (event, standstill) = self.apply(page, limits)
            return self.take(event, nil, limits, standstill: standstill)
        case .failed(let failed): return self.fail(failed, limits)
        case .renewed(let hasAccount):
            self.memory.renewedAfter = hasAccount ? self.request.number : nil
            self.request.isRenewed = self.isUnderWay
            if self.phase == .paused { self.memory.attempts = 0 }
            return self.take(.renewed, nil, limits)
        case .storeFailed: return self.take(.storeFailed, nil, limits)
        }
    }

    /// Whether a request for a sync, or what follows an answer, leads to a POST, if any edit can be chosen for it.
    package func mayPost(_ input: Input) -> Bool { self.due(by: input, isChosen: true) == .dueToPost }

    /// The answer shows whose account this is, and it is the right one.
    mutating func recogniseAccount() {
        if let last = self.memory.renewedAfter, self.request.number > last { self.memory.renewedAfter = nil }
    }
}

// MARK: - The table

extension ExchangeMachine {
    /// Moves as the table says, and does what is the machine's own to do.
    mutating func take(
        _ event: ExchangeEvent, _ failure: Failure?, _ limits: ExchangeLimits, chosen: [Posted] = [],
        wait: Duration? = nil,
        mayTry: Bool = false, evidence: Evidence = .none, standstill: Standstill? = nil
    ) -> Step {
        let (source, posted) = (self.phase, self.request.posted)
        let (target, actions): (ExchangePhase, ExchangeActions)
        switch source.transition(on: event) {
        case .stay: (target, actions) = (source, [])
        case .impossible: preconditionFailure("\(event) can't occur while \(source)")
        case .move(let next, let toDo): (target, actions) = (next, toDo)
        }
        let suspect = self.memory.loners.suspect.map { Suspect(name: $0, failure: self.memory.postFailure) }
        for action in ExchangeAction.inOrder where actions.has(action) { self.keepInMind(action, evidence, limits) }
        let tries = if case .paused(_, let tries) = self.standing { tries } else { mayTry }
        self.standing =
            switch target {
            case .idle: .idle
            case .getting: .getting
            case .posting: .posting
            case .waiting: .waiting(because: failure)
            case .paused: .paused(because: failure, mayTry: tries)
            }
        if actions.has(.get) || actions.has(.post) {
            self.request = Request(number: self.request.number + 1, posted: chosen)
        }
        if !self.isUnderWay { self.endSync() }
        return Step(
            event: event, source: source, target: target, actions: actions, posted: posted,
            suspect: actions.has(.charge) ? suspect : nil, failure: failure, wait: wait, standstill: standstill)
    }

    /// What only a sync that goes on has in mind.
    private mutating func endSync() {
        self.request.posted = []
        self.postponed.endSync()
        self.walk = FeedWalk()
        self.refusals = 0
        self.beginnings = 0
    }

    /// The part of an action that is memory.
    private mutating func keepInMind(_ action: ExchangeAction, _ evidence: Evidence, _ limits: ExchangeLimits) {
        switch action {
        case .readFirst: self.memory.readsFirst = self.memory.readsFirst || self.isPosting
        case .blame:
            switch evidence {
            case .none: break
            case .alone: self.memory.loners.suspect = self.lone
            case .again: self.bisect()
            }
        case .charge: self.memory.loners.suspect = nil
        case .acquit:
            self.memory.forgetFailures()
            self.memory.readsFirst = false
            self.memory.loners.noteWrite()
        case .bisect: self.bisect()
        case .shorten: self.memory.pageSize = max(1, self.pageSize(limits) / 2)
        case .startOver:
            self.refusals += 1
            // From the start, every watermark comes again.
            self.walk = FeedWalk()
        case .backOff: self.memory.attempts += 1
        case .clear:
            // Nothing is left to do, so no POST is left that could fail again.
            self.memory.forgetFailures()
            self.memory.loners.canWrite = false
        case .refuse, .lose, .pass, .endListing, .post, .get, .rest, .finish: break
        }
    }

    private mutating func bisect() { self.memory.batchSize = max(1, self.request.posted.count / 2) }
}
