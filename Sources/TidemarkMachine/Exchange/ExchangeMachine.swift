/// The state machine of the exchange of one collection (Contract §3).
///
/// ## Theory of operation
///
/// The owner passes each input to the machine and carries out the ``Step/work`` of the step that it returns, in its order. The
/// machine decides and never acts: it has no clock, no network and no store. It classifies an input as an event;
/// ``ExchangePhase/transition(on:)`` then chooses the phase and the actions, and no other place does.
///
/// Two inputs need one more fact, which depends on how they are classified. The owner learns that from a plan, and passes the plan
/// on with the fact:
///
/// 1. The due event is a ``Due``, by ``dueOnRequest(_:)`` or ``dueAfterAnswer(_:)``. If it is a POST, its edits are chosen and
/// saved
///    then: ``receive(_:posting:_:)``.
/// 2. A failure is a ``DiagnosedFailure``, by ``diagnose(_:_:)``. The policy of its class is asked then: ``receive(_:_:_:)``.
///
/// The drawing shows ``detailedPhase``: five phases, and the reason for the last two. It does not show these variables, which
/// choose events and no phase:
///
/// - ``request``: the current request, with its cursors and its edits that have no result yet.
/// - ``ExchangeMemory``: failures, stored. They shrink batches and pages, put a GET before a POST, and find the one record that
///   makes POSTs fail (``PoisonEvidence``).
/// - ``progress``, ``refusals`` and ``restarts``: how far this sync has read the feed. They detect a feed without an end (I8), and
///   are reset when the sync ends, ``progress`` also with a POST and at the end of the feed.
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
    var restarts = 0

    /// How many answers were too large in this sync, and smaller ones were requested. While there are any, neither pages nor
    /// batches grow again: the next answer would be too large as well.
    var oversized = 0

    /// Whether the app resumed an exchange that was paused since the server was rolled back. It ends with the full resync, or with
    /// a sync after which nothing is left to do: the app decides about each rollback.
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
        max(1, min(self.memory.batchSize ?? limits.batchSize, limits.batchSize))
    }

    /// Whether the app renewed its credentials since the request was sent. A failure of the former credentials says nothing about
    /// the new ones.
    var isStale: Bool { self.memory.renewedAfter == self.request.number }

    /// Whether edits in the request have no result yet. An edit that has its result has not failed, whatever follows.
    var isPosting: Bool { self.detailedPhase == .posting && !self.request.posted.isEmpty }

    /// The only record in the POST; nil if there are several.
    var lone: Name? { self.request.posted.count == 1 ? self.request.posted.first?.name : nil }
}

// MARK: - Inputs and steps

extension ExchangeMachine {
    /// The inputs about which nothing else has to be known.
    package enum Input: Hashable, Sendable {
        /// The results and the page of an answer were applied; nil if the page was not, so that the cursor stays.
        case answered(Page?)

        /// The app renewed its credentials, or resumed the exchange (Contract §3.5).
        case renewed

        /// The store could not save an answer.
        case storeFailed
    }

    /// One transition, with its work.
    package struct Step: Hashable, Sendable {
        /// The event that the input was classified as.
        package let event: ExchangeEvent

        /// The phase before the transition.
        package let source: ExchangePhase

        /// The phase after the transition.
        package let target: ExchangePhase

        /// The actions of the table.
        package let actions: ExchangeActions

        /// What the owner has to carry out, in this order: the actions that do not only change variables, with their data.
        package let work: [Work]

        /// Why the exchange failed, waits, or ended; nil if it did not.
        package let failure: Failure?

        /// Why the feed can't be followed; the next input is that failure. Nil if it can.
        package let stall: FeedStall?
    }

    /// An action that the owner carries out, with its data; see ``ExchangeAction``.
    package enum Work: Hashable, Sendable {
        /// ``ExchangeAction/refuse`` the one edit, as the failure says.
        case refuse(Posted, Failure)

        /// ``ExchangeAction/markUnconfirmed``, in the order in which the edits were sent.
        case markUnconfirmed([Posted])

        /// ``ExchangeAction/countPoisonFailure`` of this record, with its failure; nil if that is not known any more.
        case countPoisonFailure(of: Name, Failure?)

        /// ``ExchangeAction/advanceCursor`` to the cursor of the answer.
        case advanceCursor(to: Name)

        /// ``ExchangeAction/endResync``.
        case endResync

        /// ``ExchangeAction/claimHistoryLoss``.
        case claimHistoryLoss(isRollback: Bool)

        /// ``ExchangeAction/post`` of these edits.
        case post([Posted])

        /// ``ExchangeAction/get``.
        case get

        /// ``ExchangeAction/backOff``.
        case backOff(BackOff)

        /// ``ExchangeAction/throttle``; a back-off in progress is not shortened.
        case throttle(isBackingOff: Bool)

        /// ``ExchangeAction/finish``.
        case finish(Ending)
    }

    /// Handles an input.
    package mutating func receive(_ input: Input, _ limits: ExchangeLimits) -> Step {
        switch input {
        case .answered(let page):
            self.recognizeAccount()
            guard let page else { return self.move(on: .answerPartlyApplied, Facts(), limits) }
            let (event, stall) = self.apply(page, limits)
            return self.move(on: event, Facts(page: page, stall: stall), limits)
        case .renewed:
            self.memory.renewedAfter = self.request.number
            if case .paused(let failure) = self.detailedPhase {
                self.memory.attempts = 0
                self.mayFollowRollback = failure?.serverRolledBack == true
            }
            return self.move(on: .renewed, Facts(), limits)
        case .storeFailed: return self.move(on: .storeFailed, Facts(), limits)
        }
    }

    /// The answer is of the store's own account, so the credentials are known to be of it.
    mutating func recognizeAccount() {
        if let last = self.memory.renewedAfter, self.request.number > last { self.memory.renewedAfter = nil }
    }
}

// MARK: - The table

extension ExchangeMachine {
    /// What an input says besides its event; each action takes its data from here.
    struct Facts {
        var failure: Failure?
        var chosen: [Posted] = []
        var page: Page?
        var wait: Duration?
        var evidence = Evidence.none
        var stall: FeedStall?
    }

    /// Makes the transition of the table, updates the variables, and lists the work.
    mutating func move(on event: ExchangeEvent, _ facts: Facts, _ limits: ExchangeLimits) -> Step {
        let source = self.phase
        let (target, actions): (ExchangePhase, ExchangeActions)
        switch source.transition(on: event) {
        case .stay: (target, actions) = (source, [])
        case .impossible: preconditionFailure("\(event) can't occur while \(source)")
        case .move(let next, let toDo): (target, actions) = (next, toDo)
        }
        let ending = Ending(failure: facts.failure, target: target)
        let backsOff = source == .waiting
        // The type is generic: `compactMap` would run unspecialized, with a call for each action that there is.
        var work: [Work] = []
        for action in ExchangeAction.inOrder where actions.has(action) {
            if let part = self.apply(action, facts, ending, isBackingOff: backsOff, limits) { work.append(part) }
        }
        self.detailedPhase =
            switch target {
            case .idle: .idle
            case .getting: .getting
            case .posting: .posting
            case .waiting: .waiting(because: facts.failure)
            case .paused: .paused(because: facts.failure)
            }
        if actions.has(.get) || actions.has(.post) {
            self.request = Request(number: self.request.number + 1, posted: facts.chosen)
        }
        if !self.isUnderWay { self.endSync() }
        return Step(
            event: event, source: source, target: target, actions: actions, work: work, failure: facts.failure,
            stall: facts.stall)
    }

    /// Resets the variables of the sync that has ended.
    private mutating func endSync() {
        self.request.posted = []
        self.postponed.endSync()
        self.progress = FeedProgress()
        self.refusals = 0
        self.restarts = 0
        self.oversized = 0
    }

    /// Updates the variables for an action.
    ///
    /// - Returns: The work of the action; nil if it only changes variables, or if nothing is left to do.
    private mutating func apply(
        _ action: ExchangeAction, _ facts: Facts, _ ending: Ending, isBackingOff: Bool, _ limits: ExchangeLimits
    ) -> Work? {
        switch action {
        case .refuse:
            guard let refused = self.request.posted.first, let failure = facts.failure else {
                preconditionFailure("“refuse” without an edit and its refusal: \(facts)")
            }
            return .refuse(refused, failure)
        case .markUnconfirmed: return .markUnconfirmed(self.request.posted)
        case .weighFailure:
            switch facts.evidence {
            case .none: break
            case .alone: self.memory.poison.suspect = self.lone
            case .again: self.bisect()
            }
        case .readFirst: self.memory.readsFirst = self.memory.readsFirst || self.isPosting
        case .countPoisonFailure:
            guard let name = self.memory.poison.suspect else { return nil }
            self.memory.poison.suspect = nil
            return .countPoisonFailure(of: name, self.memory.postFailure)
        case .clearFailures:
            self.memory.forgetFailures()
            self.memory.readsFirst = false
            self.memory.poison.noteWrite()
        case .bisect: self.bisect()
        case .shrinkPage:
            self.oversized += 1
            self.memory.pageSize = max(1, self.pageSize(limits) / Self.pageReduction)
        case .advanceCursor:
            guard let page = facts.page else { preconditionFailure("“advanceCursor” without a page: \(facts)") }
            return .advanceCursor(to: page.cursor)
        case .endResync:
            self.mayFollowRollback = false
            return .endResync
        case .claimHistoryLoss:
            self.refusals += 1
            // From the start of the feed, every cursor is returned again.
            self.progress = FeedProgress()
            return .claimHistoryLoss(isRollback: facts.failure?.serverRolledBack == true)
        case .resetFailures:
            // No POST is left that could fail again.
            self.memory.forgetFailures()
            self.memory.poison.canWrite = false
            self.mayFollowRollback = false
        case .post: return .post(facts.chosen)
        case .get: return .get
        case .backOff:
            self.memory.attempts += 1
            return .backOff(BackOff(attempt: self.memory.attempts, failure: facts.failure, chosen: facts.wait))
        case .throttle: return .throttle(isBackingOff: isBackingOff)
        case .finish: return .finish(ending)
        }
        return nil
    }

    /// By how much a page is reduced after an answer that was too large: three steps lead from 500 rows to one, so that few answers
    /// are received in vain.
    private static var pageReduction: Int { 8 }

    private mutating func bisect() { self.memory.batchSize = max(1, self.request.posted.count / 2) }
}
