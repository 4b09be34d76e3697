/// The state machine of the run loop for one collection (SPEC §10): a phase, and what it has in mind.
///
/// It decides when a sync starts, and neither acts nor knows what a sync does. Tell it what happened, and it hands back a
/// ``Step``. ``RunPhase/transition(on:)`` is the only place that chooses a phase. It has no clock and no dice.
///
/// Where someone tells it what it would not expect, such as the end of a sync that it knows nothing of, that is a
/// programmer's mistake; what network, server and person do is expected in every phase.
package struct RunMachine: Hashable, Sendable {
    /// One transition, and what it leads to.
    package struct Step: Hashable, Sendable {
        /// What it amounted to.
        package let event: RunEvent

        /// The phase before.
        package let source: RunPhase

        /// The phase after.
        package let target: RunPhase

        /// What to do, in the order of ``RunAction/inOrder``.
        package let actions: RunActions
    }

    /// Where the loop stands.
    package private(set) var phase = RunPhase.unwatched

    /// Whether someone hints.
    package private(set) var isWatched = false

    /// Whether there is a network, as far as the app says.
    package private(set) var isConnected: Bool

    /// What the budget allows.
    package private(set) var allowance: RunAllowance

    /// When a sync starts, unless something happens before, or is in the way; nil where that alone can start one.
    package internal(set) var time: Duration?

    private let plan: RunPlan

    /// The edits that no sync has begun after, or only one that failed; nil when there are none.
    var edits: Edits?

    /// The edits that the sync has begun after that is under way.
    var editsUnderWay: Edits?

    /// When the server is to be asked for what no sync has begun after; nil when there is nothing to ask for.
    package internal(set) var askTime: Duration?

    /// Whether credentials were renewed while a sync went on.
    private var isRenewed = false

    /// Whether there was no network for a while, and no sync may have started since.
    private var hasMissed = false

    /// Whether the loop ends.
    private var isOver = false

    /// How many syncs in a row brought nothing.
    private var vain = 0

    /// How many times in a row the credentials were bad.
    private var probes = 0

    struct Edits: Hashable {
        var first: Duration
        var last: Duration
    }

    /// Makes the machine of a loop that has not begun.
    package init(_ plan: RunPlan, isConnected: Bool = true, allowance: RunAllowance = .everything) {
        self.plan = plan
        self.isConnected = isConnected
        self.allowance = allowance
    }

    /// Whether no sync may start, or none that only asks.
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

    /// Whether something was edited here that no sync has sent.
    package var hasEdits: Bool { self.edits != nil || self.editsUnderWay != nil }

    private var plannedTime: Duration? {
        switch self.phase {
        case .due, .waiting, .paused, .unwatched: self.time
        case .resting, .syncing: nil
        }
    }

    /// Only a sync with own edits in it starts from the reserve.
    private var timeInReserve: Duration? {
        switch self.phase {
        case .due: self.timeToSend
        case .waiting, .paused: self.edits == nil ? nil : self.time
        case .resting, .syncing, .unwatched: nil
        }
    }
}

// MARK: - What happens

extension RunMachine {
    /// The loop begins, or comes to know the collection.
    package mutating func begin(_ moment: RunMoment) -> Step { self.ask(.began, moment) }

    /// The app changed something that is to be sent.
    package mutating func edit(_ moment: RunMoment) -> Step {
        self.vain = 0
        self.edits = Edits(first: self.edits?.first ?? moment.now, last: moment.now)
        return self.take(.edited) { machine in
            machine.setTimeOfWhatIsDue(moment)
        }
    }

    /// Someone hints that the server has something.
    ///
    /// The sync that follows keeps a distance from the last one that followed a hint (``RunBudget/pace(at:)``); it does not
    /// delay what is edited here.
    ///
    /// - Parameters:
    ///   - isNews: Whether it is not here yet.
    ///   - time: When the server may be asked for it; nil for at once.
    package mutating func hint(isNews: Bool, askingAt time: Duration? = nil, _ moment: RunMoment) -> Step {
        guard isNews else { return self.take(.hintedInVain) }
        self.vain = 0
        return self.ask(.hinted, at: time, moment)
    }

    /// Someone begins to hint, or no one does any more.
    package mutating func watch(_ isWatched: Bool, _ moment: RunMoment) -> Step {
        self.isWatched = isWatched
        self.vain = 0
        return self.take(isWatched ? .watched : .deserted) { machine in
            if machine.phase == .unwatched { machine.time = machine.timeToAsk(moment) }
        }
    }

    /// A time came that was asked for.
    package mutating func wake(at time: Duration) -> Step {
        guard let alarm = self.alarm, alarm <= time else { return self.take(.wokenInVain) }
        self.beginSync()
        return self.take(.woken)
    }

    /// The app says that there is a network, or none.
    package mutating func connect(_ isConnected: Bool, _ moment: RunMoment) -> Step {
        let wasBlocked = self.isBlocked
        if isConnected, !self.isConnected { self.hasMissed = true }
        self.isConnected = isConnected
        return self.allow(after: wasBlocked, moment)
    }

    /// The budget, or all of it but the reserve, is spent; or renewed.
    package mutating func fund(_ allowance: RunAllowance, _ moment: RunMoment) -> Step {
        let wasBlocked = self.isBlocked
        self.allowance = allowance
        return self.allow(after: wasBlocked, moment)
    }

    private mutating func allow(after wasBlocked: Bool, _ moment: RunMoment) -> Step {
        guard self.isBlocked != wasBlocked else { return self.take(.asBefore) }
        guard !self.isBlocked else { return self.take(.blocked) }
        guard self.hasMissed else { return self.take(.funded) }
        self.hasMissed = false
        self.vain = 0
        return self.ask(.connected, moment)
    }

    /// A sync began: the app's, or the one that the loop has just started.
    package mutating func join() -> Step {
        if self.phase != .syncing {
            self.vain = 0
            self.beginSync()
        }
        // Whoever waited for a place begins with the credentials of now.
        self.isRenewed = false
        return self.take(.joined)
    }

    /// The app renewed its credentials, or wants what was paused to go on.
    package mutating func renew(_ moment: RunMoment) -> Step {
        self.isRenewed = self.phase == .syncing
        self.probes = 0
        switch self.phase {
        case .waiting, .paused: return self.ask(.renewed, moment)
        // Nothing was withheld for the sake of the former ones.
        case .resting, .due, .syncing, .unwatched: return self.take(.renewed)
        }
    }

    /// The loop ends. No sync starts from here on.
    package mutating func stop() -> Step {
        self.isOver = true
        return self.take(.stopped)
    }
}

// MARK: - The end of a sync

extension RunMachine {
    /// A sync ended, whoever began it.
    package mutating func end(_ end: RunEnd, _ moment: RunMoment) -> Step {
        let isRenewed = self.isRenewed
        self.isRenewed = false
        if case .done = end { self.editsUnderWay = nil }
        self.restoreEdits()
        guard !self.isOver else { return self.take(.endedAtLast) }
        // It failed with the former credentials, or with the wait that they had led to.
        if isRenewed, end.isFailure { return self.ask(.endedWithMore, moment) }
        switch end {
        case .done(let brought, let hasUnsent): return self.end(brought: brought, hasUnsent: hasUnsent, moment)
        case .cancelled: return self.ask(.endedWithMore, moment)
        case .later(let time): return self.take(.endedToWait) { $0.time = time }
        case .broken: return self.take(.endedToWait) { $0.time = $0.timeToAsk(moment) }
        case .unauthorised: return self.take(.endedByAccess) { $0.time = $0.timeToProbe(moment) }
        case .stopped: return self.take(.endedForGood) { $0.time = nil }
        }
    }

    private mutating func end(brought: Bool, hasUnsent: Bool, _ moment: RunMoment) -> Step {
        self.probes = 0
        if brought { self.vain = 0 }
        if !hasUnsent { self.edits = nil }
        // What is unsent though no one has edited, no sync would send either.
        guard self.askTime == nil, self.edits == nil else {
            return self.take(.endedWithMore) { $0.setTimeOfWhatIsDue(moment) }
        }
        guard !self.isWatched else { return self.take(.endedWatched) { $0.time = nil } }
        return self.take(.endedUnwatched) { $0.time = $0.timeToAsk(moment) }
    }
}

// MARK: - The table, and times

extension RunMachine {
    /// Moves as the table says, and sets the time that goes with the new phase.
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

    /// Takes an event after which the server is asked at a time, wherever it leads to that.
    private mutating func ask(_ event: RunEvent, at time: Duration? = nil, _ moment: RunMoment) -> Step {
        let time = max(time ?? moment.now, moment.now)
        // What waits has its time already, and its sync asks whatever there is to ask.
        self.askTime = min(self.askTime ?? time, time)
        return self.take(event) { $0.setTimeOfWhatIsDue(moment) }
    }

    /// What is due starts at the earlier of two times: that of what is to be sent, and that of what is to be asked.
    private mutating func setTimeOfWhatIsDue(_ moment: RunMoment) {
        guard self.phase == .due else { return }
        self.time = [self.askTime, self.timeToSend].compactMap(\.self).min().map { max($0, moment.now) }
    }

    /// A sync that begins now sends what was edited before, and asks what was to be asked.
    private mutating func beginSync() {
        self.editsUnderWay = self.edits
        self.edits = nil
        self.askTime = nil
        self.isRenewed = false
        self.time = nil
    }

    /// What a sync began with that did not come to its end is still to be sent.
    private mutating func restoreEdits() {
        guard let former = self.editsUnderWay else { return }
        self.edits = Edits(first: former.first, last: self.edits?.last ?? former.last)
        self.editsUnderWay = nil
    }

    private var timeToSend: Duration? {
        self.edits.map { min($0.last + self.plan.quietTime, $0.first + self.plan.longestQuietTime) }
    }

    private mutating func timeToAsk(_ moment: RunMoment) -> Duration {
        defer { self.vain += 1 }
        return moment.now + self.plan.interval(afterVain: self.vain, moment)
    }

    private mutating func timeToProbe(_ moment: RunMoment) -> Duration {
        defer { self.probes += 1 }
        return moment.now + self.plan.probe(after: self.probes, moment)
    }
}
