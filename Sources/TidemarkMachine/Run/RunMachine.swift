/// The state machine of the run loop for one collection (Contract §10): a phase and its variables.
///
/// It decides when a sync starts; it does not act, and does not know what a sync does. Pass it what happened, and it returns a
/// ``Step``. ``RunPhase/transition(on:)`` is the only place that chooses a phase. It has no clock and no randomness.
///
/// An unexpected call, such as the end of a sync that was not started, is a programming error; inputs of network, server and
/// user are valid in every phase.
package struct RunMachine: Hashable, Sendable {
    /// One transition, with its actions.
    package struct Step: Hashable, Sendable {
        /// The event that the input was classified as.
        package let event: RunEvent

        /// The phase before the transition.
        package let source: RunPhase

        /// The phase after the transition.
        package let target: RunPhase

        /// The actions to carry out, in the order of ``RunAction/inOrder``.
        package let actions: RunActions
    }

    package private(set) var phase = RunPhase.polling

    /// Whether change notifications are connected.
    package private(set) var isWatched = false

    /// Whether there is a network, as reported by the app.
    package private(set) var isConnected: Bool

    /// The syncs that the budget allows.
    package private(set) var allowance: RunAllowance

    /// When a sync starts, unless an event comes before or blocks it; nil if only an event can start one.
    package internal(set) var time: Duration?

    private let plan: RunPlan

    /// The edits made since the last sync began, and those of a sync that failed; nil for none.
    var edits: Edits?

    /// The edits that the running sync includes.
    var editsUnderWay: Edits?

    /// When to fetch from the server, for a reason newer than the start of the last sync; nil for no reason.
    package internal(set) var askTime: Duration?

    /// Whether credentials were renewed during a sync.
    private var isRenewed = false

    /// Whether there was no network for a while, and no sync could start since then.
    private var hasMissed = false

    /// Whether the loop was stopped.
    private var isOver = false

    /// How many syncs in a row brought nothing.
    private var idlePolls = 0

    /// How many times in a row the credentials were rejected.
    private var probes = 0

    struct Edits: Hashable {
        var first: Duration
        var last: Duration

        func moved(by jump: Duration) -> Edits { Edits(first: self.first - jump, last: self.last - jump) }
    }

    /// Makes the machine of a loop that has not started.
    package init(_ plan: RunPlan, isConnected: Bool = true, allowance: RunAllowance = .everything) {
        self.plan = plan
        self.isConnected = isConnected
        self.allowance = allowance
    }

    /// Whether no sync may start, or none that only polls.
    package var isBlocked: Bool { !self.isConnected || self.allowance != .everything }

    /// When to call ``wake(at:)``; nil for never.
    package var alarm: Duration? {
        guard self.isConnected, !self.isOver else { return nil }
        switch self.allowance {
        case .everything: return self.plannedTime
        case .ownEdits: return self.timeInReserve
        case .nothing: return nil
        }
    }

    /// Whether there are edits that no sync has sent.
    package var hasEdits: Bool { self.edits != nil || self.editsUnderWay != nil }

    private var plannedTime: Duration? {
        switch self.phase {
        case .due, .waiting, .paused, .polling: self.time
        case .listening, .syncing: nil
        }
    }

    /// Only a sync with own edits in it starts from the reserve.
    private var timeInReserve: Duration? {
        switch self.phase {
        case .due: self.timeToSend
        case .waiting, .paused: self.edits == nil ? nil : self.time
        case .listening, .syncing, .polling: nil
        }
    }
}

// MARK: - Inputs

extension RunMachine {
    /// Handles the start of the loop, or a new collection.
    package mutating func begin(_ moment: RunMoment) -> Step { self.ask(.began, moment) }

    /// Handles an edit that is to be sent.
    package mutating func edit(_ moment: RunMoment) -> Step {
        self.idlePolls = 0
        self.edits = Edits(first: self.edits?.first ?? moment.now, last: moment.now)
        return self.take(.edited) { machine in
            machine.setTimeOfWhatIsDue(moment)
        }
    }

    /// Handles a change notification.
    ///
    /// The sync that follows keeps a minimum interval from the last sync that a notification led to
    /// (``RunBudget/pace(at:)``); this does not delay edits of this device.
    ///
    /// - Parameters:
    ///   - isNews: Whether the notified version is not here yet.
    ///   - time: When it may be fetched; nil for at once.
    package mutating func hint(isNews: Bool, askingAt time: Duration? = nil, _ moment: RunMoment) -> Step {
        guard isNews else { return self.take(.hintedKnown) }
        self.idlePolls = 0
        return self.ask(.hinted, at: time, moment)
    }

    /// Handles the connection for change notifications, or its loss.
    package mutating func watch(_ isWatched: Bool, _ moment: RunMoment) -> Step {
        self.isWatched = isWatched
        self.idlePolls = 0
        return self.take(isWatched ? .hintsConnected : .hintsLost) { machine in
            if machine.phase == .polling { machine.time = machine.timeToAsk(moment) }
        }
    }

    /// Handles the timer.
    package mutating func wake(at time: Duration) -> Step {
        guard let alarm = self.alarm, alarm <= time else { return self.take(.timerFiredEarly) }
        self.beginSync()
        return self.take(.timerFired)
    }

    /// Handles a report of the app whether there is a network.
    package mutating func connect(_ isConnected: Bool, _ moment: RunMoment) -> Step {
        let wasBlocked = self.isBlocked
        if isConnected, !self.isConnected { self.hasMissed = true }
        self.isConnected = isConnected
        return self.allow(after: wasBlocked, moment)
    }

    /// Handles a change of the budget: it is spent, spent but for the reserve, or renewed.
    package mutating func fund(_ allowance: RunAllowance, _ moment: RunMoment) -> Step {
        let wasBlocked = self.isBlocked
        self.allowance = allowance
        return self.allow(after: wasBlocked, moment)
    }

    private mutating func allow(after wasBlocked: Bool, _ moment: RunMoment) -> Step {
        guard self.isBlocked != wasBlocked else { return self.take(.asBefore) }
        guard !self.isBlocked else { return self.take(.blocked) }
        guard self.hasMissed else { return self.take(.budgetRenewed) }
        self.hasMissed = false
        self.idlePolls = 0
        return self.ask(.connected, moment)
    }

    /// Handles the start of a sync: by the app, or the one that the loop has just started.
    package mutating func join() -> Step {
        if self.phase != .syncing {
            self.idlePolls = 0
            self.beginSync()
        }
        // A sync that waited for a free place starts with the present credentials.
        self.isRenewed = false
        return self.take(.joined)
    }

    /// Handles renewed credentials, and the resumption of a paused collection.
    package mutating func renew(_ moment: RunMoment) -> Step {
        self.isRenewed = self.phase == .syncing
        self.probes = 0
        switch self.phase {
        case .waiting, .paused: return self.ask(.renewed, moment)
        // In these phases nothing waited because of the former credentials.
        case .listening, .due, .syncing, .polling: return self.take(.renewed)
        }
    }

    /// Handles a clock that was set back: every time is moved with it, so that no wait becomes longer.
    package mutating func setBack(by jump: Duration) {
        self.time = self.time.map { $0 - jump }
        self.askTime = self.askTime.map { $0 - jump }
        self.edits = self.edits?.moved(by: jump)
        self.editsUnderWay = self.editsUnderWay?.moved(by: jump)
    }

    /// Handles the end of the loop. No sync starts from here on.
    package mutating func stop() -> Step {
        self.isOver = true
        return self.take(.stopped)
    }
}

// MARK: - The end of a sync

extension RunMachine {
    /// Handles the end of a sync, of the loop or of the app.
    package mutating func end(_ end: RunEnd, _ moment: RunMoment) -> Step {
        let isRenewed = self.isRenewed
        self.isRenewed = false
        if case .done = end { self.editsUnderWay = nil }
        self.restoreEdits()
        guard !self.isOver else { return self.take(.endedAtLast) }
        // The sync failed with the former credentials, or with the wait that they had led to.
        if isRenewed, end.isFailure { return self.ask(.endedWithMore, moment) }
        switch end {
        case .done(let hasNews, let hasUnsent): return self.end(hasNews: hasNews, hasUnsent: hasUnsent, moment)
        case .cancelled: return self.ask(.endedWithMore, moment)
        case .later(let time): return self.take(.endedToWait) { $0.time = time }
        case .broken: return self.take(.endedToWait) { $0.time = $0.timeToAsk(moment) }
        case .unauthorized: return self.take(.endedByAccess) { $0.time = $0.timeToProbe(moment) }
        case .stopped: return self.take(.endedForGood) { $0.time = nil }
        }
    }

    private mutating func end(hasNews: Bool, hasUnsent: Bool, _ moment: RunMoment) -> Step {
        self.probes = 0
        if hasNews { self.idlePolls = 0 }
        if !hasUnsent { self.edits = nil }
        // If something is unsent although there is no edit, another sync would not send it either.
        guard self.askTime == nil, self.edits == nil else {
            return self.take(.endedWithMore) { $0.setTimeOfWhatIsDue(moment) }
        }
        guard !self.isWatched else { return self.take(.endedListening) { $0.time = nil } }
        return self.take(.endedPolling) { $0.time = $0.timeToAsk(moment) }
    }
}

// MARK: - The table, and times

extension RunMachine {
    /// Makes the transition of the table, and sets the time for the new phase.
    private mutating func take(_ event: RunEvent, _ setTime: (inout RunMachine) -> Void = { _ in }) -> Step {
        let source = self.phase
        switch source.transition(on: event) {
        case .stay: return Step(event: event, source: source, target: source, actions: [])
        case .impossible: preconditionFailure("\(event) can't occur while \(source)")
        case .move(let target, let actions):
            self.phase = target
            setTime(&self)
            return Step(event: event, source: source, target: target, actions: actions)
        }
    }

    /// Handles an event after which the server is polled at a time, if the target phase allows it.
    private mutating func ask(_ event: RunEvent, at time: Duration? = nil, _ moment: RunMoment) -> Step {
        let time = max(time ?? moment.now, moment.now)
        // A waiting collection has its time already, and its sync fetches everything.
        self.askTime = min(self.askTime ?? time, time)
        return self.take(event) { $0.setTimeOfWhatIsDue(moment) }
    }

    /// A due sync starts at the earlier of two times: the time to send, and the time to fetch.
    private mutating func setTimeOfWhatIsDue(_ moment: RunMoment) {
        guard self.phase == .due else { return }
        self.time = [self.askTime, self.timeToSend].compactMap(\.self).min().map { max($0, moment.now) }
    }

    /// A sync that begins now sends the earlier edits, and includes the pending fetch.
    private mutating func beginSync() {
        self.editsUnderWay = self.edits
        self.edits = nil
        self.askTime = nil
        self.isRenewed = false
        self.time = nil
    }

    /// Edits of a sync that did not complete are still to be sent.
    private mutating func restoreEdits() {
        guard let former = self.editsUnderWay else { return }
        self.edits = Edits(first: former.first, last: self.edits?.last ?? former.last)
        self.editsUnderWay = nil
    }

    private var timeToSend: Duration? {
        self.edits.map { min($0.last + self.plan.debounce, $0.first + self.plan.maxDebounce) }
    }

    private mutating func timeToAsk(_ moment: RunMoment) -> Duration {
        defer { self.idlePolls += 1 }
        return moment.now + self.plan.interval(afterIdlePolls: self.idlePolls, moment)
    }

    private mutating func timeToProbe(_ moment: RunMoment) -> Duration {
        defer { self.probes += 1 }
        return moment.now + self.plan.probe(after: self.probes, moment)
    }
}
