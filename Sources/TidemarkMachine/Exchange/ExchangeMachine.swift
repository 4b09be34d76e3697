/// The state machine of the exchange of one collection (SPEC §3).
///
/// ## Theory of operation
///
/// The owner passes each input to ``receive(_:_:)`` and carries out the ``Step`` that it returns. The machine decides and never acts: it
/// has no clock, no network and no store. It classifies an input as an event; ``ExchangePhase/transition(on:)`` then chooses the phase
/// and the actions, and no other place does.
///
/// The drawing shows ``detailedPhase``: five phases, and the reason for the last two. It does not show these variables, which
/// choose events and no phase:
///
/// - ``request``: the current request, with its cursors and its edits that have no result yet.
/// - ``ExchangeMemory``: failures, stored. They shrink batches and pages, put a GET before a POST, and find the one record that makes
///   POSTs fail (``PoisonEvidence``).
/// - ``progress``, ``refusals`` and ``beginnings``: how far this sync has read the feed. They detect a feed without an end (I8), and are
///   reset when the sync ends.
/// - ``oversized``: the answers of this sync that were too large. Their limit bounds the bytes that are received in vain.
/// - ``postponed``: the edits that are sent again with the next sync.
/// - ``mayFollowRollback``: whether the app has decided about a rollback of the server.
///
/// The cursor, and whether a full resync is requested or running, are in the store (`CollectionState`) and not in the machine.
/// ``ExchangeAction/advanceCursor`` moves the cursor, ``ExchangeAction/claimHistoryLoss`` stores that it was refused, and
/// ``ExchangeAction/endResync`` ends a full resync.
///
/// `Name` is the type of record names and cursors. They compare by code point, as on the wire.
@usableFromInline
package struct ExchangeMachine<Name: Hashable & Sendable, Failure: ExchangeFailure>: Hashable, Sendable {
    /// The phase of an exchange, with its reason.
    package enum DetailedPhase: Hashable, Sendable {
        /// No sync is in progress.
        case idle

        /// A GET is in flight.
        case getting

        /// A POST is in flight.
        case posting

        /// The next try is scheduled. Nil if the store could not save an answer.
        case waiting(because: Failure?)

        /// Only the app can resume it.
        case paused(because: Failure?)
    }

    /// An edit in a POST.
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

    /// The current request, or the last one.
    @usableFromInline package struct Request: Hashable, Sendable {
        /// Grows with each request.
        package var number = 0

        /// The edits that have no result yet, in the order in which they were sent; empty for a GET.
        @usableFromInline package var posted: [Posted] = []

        /// The cursors in the request.
        @usableFromInline package var cursors = Cursors()

        /// The record of an edit; nil if the edit is not in the request, or has its result already.
        @inlinable package func name(of requestID: String) -> Name? {
            self.posted.first { $0.requestID == requestID }?.name
        }

        /// Removes an edit, since its result was received.
        @inlinable package mutating func settle(_ requestID: String) {
            // Results usually have the order of the edits.
            if self.posted.first?.requestID == requestID {
                self.posted.removeFirst()
            } else {
                self.posted.removeAll { $0.requestID == requestID }
            }
        }
    }

    /// The phase, with its reason.
    package private(set) var detailedPhase = DetailedPhase.idle

    /// The current request, or the last one.
    @usableFromInline package var request = Request()

    /// The edits that are sent again with the next sync.
    package var postponed = Postponed<Name>()

    /// The state that outlives the process.
    package internal(set) var memory: ExchangeMemory<Name, Failure>

    /// How far this sync has read the feed.
    var progress = FeedProgress<Name>()

    /// How often the server refused a cursor or the newest cursor in this sync.
    var refusals = 0

    /// How often the server began a full resync by itself in this sync without ending it.
    var beginnings = 0

    /// How many answers were too large in this sync, and smaller ones were requested. While there are any, neither pages nor batches grow
    /// again: the next answer would be too large as well.
    var oversized = 0

    /// Whether the app resumed an exchange that was paused since the server was rolled back. It ends with the full resync, or with a sync
    /// after which nothing is left to do: the app decides about each rollback.
    private(set) var mayFollowRollback = false

    /// Makes a machine that is idle.
    ///
    /// - Parameter number: The number of the last request, if answers to former requests may still arrive.
    package init(memory: ExchangeMemory<Name, Failure> = ExchangeMemory(), after number: Int = 0) {
        self.memory = memory
        self.request.number = number
    }

    /// The phase, as in the drawing.
    package var phase: ExchangePhase {
        switch self.detailedPhase {
        case .idle: .idle
        case .getting: .getting
        case .posting: .posting
        case .waiting: .waiting
        case .paused: .paused
        }
    }

    /// The reason for a wait or a pause; nil in any other phase.
    package var failure: Failure? {
        switch self.detailedPhase {
        case .idle, .getting, .posting: nil
        case .waiting(let failure), .paused(let failure): failure
        }
    }

    /// Whether a request is in flight.
    package var isUnderWay: Bool { self.detailedPhase == .getting || self.detailedPhase == .posting }

    /// Whether the request with this number is in flight. An answer to any other request is late.
    package func isAwaiting(_ number: Int) -> Bool { self.isUnderWay && self.request.number == number }

    /// The current number of rows on a page.
    package func pageSize(_ limits: ExchangeLimits) -> Int { self.memory.pageSize ?? limits.pageSize }

    /// The current number of edits in a POST.
    package func batchSize(_ limits: ExchangeLimits) -> Int {
        min(self.memory.batchSize ?? limits.batchSize, limits.batchSize)
    }

    /// Whether the app renewed its credentials since the request was sent. A failure of the former credentials says nothing about the new
    /// ones.
    var isStale: Bool { self.memory.renewedAfter == self.request.number }

    /// Whether edits in the request have no result yet. An edit that has its result has not failed, whatever follows.
    var isPosting: Bool { self.detailedPhase == .posting && !self.request.posted.isEmpty }

    /// The only record in the POST; nil if there are several.
    var lone: Name? { self.request.posted.count == 1 ? self.request.posted.first?.name : nil }
}

// MARK: - Inputs and steps

extension ExchangeMachine {
    /// The inputs of the machine.
    package enum Input: Hashable, Sendable {
        /// A sync was requested, or a wait ended.
        case requested(Outlook)

        /// An answer was applied. Chooses the next request.
        case next(Outlook)

        /// The results and the page of an answer were applied; nil if the page was not, so that the cursor stays.
        case answered(Page?)

        /// The exchange failed, or the rest of it after some results.
        case failed(Failed)

        /// The app renewed its credentials, or resumed the exchange (SPEC §3.5).
        case renewed

        /// The store could not save an answer.
        case storeFailed
    }

    /// The work that is left.
    package struct Outlook: Hashable, Sendable {
        /// Whether there is something to send.
        package var hasEdits: Bool

        /// The edits of the next POST; nil before they are chosen, which is done if ``ExchangeMachine/mayPost(_:)``.
        package var chosen: [Posted]?

        /// Whether the feed was read to its end.
        package var isAtEnd: Bool

        /// Why all edits that are left are sent with the next sync; nil if none is left.
        package var waiting: Failure?

        /// The throttling of the server, as a failure; nil if the client is not throttled.
        package var throttling: Failure?

        /// Describes the work that is left.
        package init(
            hasEdits: Bool, chosen: [Posted]? = nil, isAtEnd: Bool = false, waiting: Failure? = nil,
            throttling: Failure? = nil
        ) {
            self.hasEdits = hasEdits
            self.chosen = chosen
            self.isAtEnd = isAtEnd
            self.waiting = waiting
            self.throttling = throttling
        }
    }

    /// One transition, with its actions.
    package struct Step: Hashable, Sendable {
        /// The event that the input was classified as.
        package let event: ExchangeEvent

        /// The phase before the transition.
        package let source: ExchangePhase

        /// The phase after the transition.
        package let target: ExchangePhase

        /// The actions to carry out, in the order of ``ExchangeAction/inOrder``.
        package let actions: ExchangeActions

        /// The edits of the former request that have no result, in the order in which they were sent.
        package let posted: [Posted]

        /// The record and the failure for ``ExchangeAction/countPoisonFailure``; nil if there is no suspect.
        package let suspect: Suspect?

        /// Why the sync ends; nil if it continues, or ended with nothing left to do.
        package let failure: Failure?

        /// The wait of ``ExchangeAction/backOff`` that a policy chose; nil for `Retry-After` or the back-off.
        package let wait: Duration?

        /// Why the feed can't be followed; the next input is that failure. Nil if it can.
        package let stall: FeedStall?
    }

    /// A record that failed alone.
    package struct Suspect: Hashable, Sendable {
        /// The record.
        package let name: Name

        /// The failure of the record; nil if that is not known any more.
        package let failure: Failure?
    }

    /// Handles an input.
    package mutating func receive(_ input: Input, _ limits: ExchangeLimits) -> Step {
        switch input {
        case .requested(let outlook), .next(let outlook):
            let event = self.due(by: input, isChosen: outlook.chosen?.isEmpty == false)
            if event == .postponed { self.memory.attempts = self.postponed.triesBefore }
            let reason = event == .throttled ? outlook.throttling : event == .postponed ? outlook.waiting : self.failure
            return self.take(event, reason, limits, chosen: outlook.chosen ?? [])
        case .answered(let page):
            self.recognizeAccount()
            guard let page else { return self.take(.answerPartlyApplied, nil, limits) }
            let (event, stall) = self.apply(page, limits)
            return self.take(event, nil, limits, stall: stall)
        case .failed(let failed): return self.fail(failed, limits)
        case .renewed:
            self.memory.renewedAfter = self.request.number
            if case .paused(let failure) = self.detailedPhase {
                self.memory.attempts = 0
                self.mayFollowRollback = failure?.serverRolledBack == true
            }
            return self.take(.renewed, nil, limits)
        case .storeFailed: return self.take(.storeFailed, nil, limits)
        }
    }

    /// Returns whether the request that follows this input would be a POST if an edit can be sent.
    package func mayPost(_ input: Input) -> Bool { self.due(by: input, isChosen: true) == .dueToPost }

    /// The answer is of the store's own account, so the credentials are known to be of it.
    mutating func recognizeAccount() {
        if let last = self.memory.renewedAfter, self.request.number > last { self.memory.renewedAfter = nil }
    }
}

// MARK: - The table

extension ExchangeMachine {
    /// Makes the transition of the table, and updates the variables.
    mutating func take(
        _ event: ExchangeEvent, _ failure: Failure?, _ limits: ExchangeLimits, chosen: [Posted] = [],
        wait: Duration? = nil, evidence: Evidence = .none, stall: FeedStall? = nil
    ) -> Step {
        let (source, posted) = (self.phase, self.request.posted)
        let (target, actions): (ExchangePhase, ExchangeActions)
        switch source.transition(on: event) {
        case .stay: (target, actions) = (source, [])
        case .impossible: preconditionFailure("\(event) can't occur while \(source)")
        case .move(let next, let toDo): (target, actions) = (next, toDo)
        }
        let suspect = self.memory.poison.suspect.map { Suspect(name: $0, failure: self.memory.postFailure) }
        for action in ExchangeAction.inOrder where actions.has(action) { self.keepInMind(action, evidence, limits) }
        self.detailedPhase =
            switch target {
            case .idle: .idle
            case .getting: .getting
            case .posting: .posting
            case .waiting: .waiting(because: failure)
            case .paused: .paused(because: failure)
            }
        if actions.has(.get) || actions.has(.post) {
            self.request = Request(number: self.request.number + 1, posted: chosen)
        }
        if !self.isUnderWay { self.endSync() }
        return Step(
            event: event, source: source, target: target, actions: actions, posted: posted,
            suspect: actions.has(.countPoisonFailure) ? suspect : nil, failure: failure, wait: wait, stall: stall)
    }

    /// Resets the variables of the sync that has ended.
    private mutating func endSync() {
        self.request.posted = []
        self.postponed.endSync()
        self.progress = FeedProgress()
        self.refusals = 0
        self.beginnings = 0
        self.oversized = 0
    }

    /// Applies the part of an action that changes variables only.
    private mutating func keepInMind(_ action: ExchangeAction, _ evidence: Evidence, _ limits: ExchangeLimits) {
        switch action {
        case .readFirst: self.memory.readsFirst = self.memory.readsFirst || self.isPosting
        case .weighFailure:
            switch evidence {
            case .none: break
            case .alone: self.memory.poison.suspect = self.lone
            case .again: self.bisect()
            }
        case .countPoisonFailure: self.memory.poison.suspect = nil
        case .clearFailures:
            self.memory.forgetFailures()
            self.memory.readsFirst = false
            self.memory.poison.noteWrite()
        case .bisect: self.bisect()
        case .shrinkPage:
            self.oversized += 1
            self.memory.pageSize = max(1, self.pageSize(limits) / Self.pageReduction)
        case .claimHistoryLoss:
            self.refusals += 1
            // From the start of the feed, every cursor is returned again.
            self.progress = FeedProgress()
        case .backOff: self.memory.attempts += 1
        case .resetFailures:
            // No POST is left that could fail again.
            self.memory.forgetFailures()
            self.memory.poison.canWrite = false
            self.mayFollowRollback = false
        case .endResync: self.mayFollowRollback = false
        case .refuse, .markUnconfirmed, .advanceCursor, .post, .get, .throttle, .finish: break
        }
    }

    /// By how much a page is reduced after an answer that was too large: three steps lead from 500 rows to one, so that few answers are
    /// received in vain.
    private static var pageReduction: Int { 8 }

    private mutating func bisect() { self.memory.batchSize = max(1, self.request.posted.count / 2) }
}
