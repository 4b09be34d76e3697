package import TidemarkMachine
package import TidemarkSimulation

/// The machine of the run loop with an app that edits, a server that sends change notifications, a network that goes offline
/// and online, and a clock.
///
/// The world specifies the machine a second time, from outside: the earliest time of the next sync, and that each edit is
/// sent.
package struct RunWorld: Explorable {
    /// A step.
    package enum Move: Hashable, CustomStringConvertible {
        case begin, edit, hint, hintSoon, hintInVain, watch(Bool), connect(Bool), fund(RunAllowance), appSyncs, renew,
            stop
        case closeLid
        case wake, wakeTooEarly
        case end(Ending)

        package var description: String {
            switch self {
            case .end(let ending): "end(\(ending))"
            case .watch(let isWatched): "watch(\(isWatched))"
            case .connect(let isConnected): "connect(\(isConnected))"
            case .fund(let allowance): "fund(\(allowance))"
            case .begin: "begin"
            case .edit: "edit"
            case .hint: "hint"
            case .hintSoon: "hintSoon"
            case .hintInVain: "hintInVain"
            case .appSyncs: "appSyncs"
            case .renew: "renew"
            case .stop: "stop"
            case .closeLid: "closeLid"
            case .wake: "wake"
            case .wakeTooEarly: "wakeTooEarly"
            }
        }
    }

    /// How a sync ends.
    package enum Ending: CaseIterable, Hashable {
        /// All edits are sent.
        case quietly

        /// The edits made during the sync are not sent.
        case withoutTheLast
        case withNews, later, unauthorized, stopped, broken, cancelled
    }

    /// A cell of the table.
    package typealias Cell = RunCell

    private struct Shape: Hashable {
        var machine: RunMachine
        var numbers: [Duration?]
        var flags: [Bool]
        var allowance: RunAllowance
        var inputs: Int
    }

    private static let plan = RunPlan()

    /// How long a change notification waits for the budget: longer than an edit may wait.
    private static let pace = Duration.seconds(20)

    private(set) var machine = RunMachine(Self.plan)
    package private(set) var taken: [Cell] = []
    package private(set) var violation: String?

    private var now = Duration.zero
    private var inputs: Int
    private var hasBegun = false
    private var isOver = false
    private var isConnected = true
    private var allowance = RunAllowance.everything
    private var wasAway = false

    /// The time of the first edit that is not sent.
    private var unsent: Duration?

    /// The time of the first edit since the sync began.
    private var unsentMeanwhile: Duration?

    /// The latest time for the next request, because of a change on the server that is younger than the last sync; nil
    /// without such a change.
    private var asked: Duration?

    /// The earliest time of the next sync.
    private var notBefore = Duration.zero

    /// Whether only the app can bring ``notBefore`` forward.
    private var isKept = false
    private var isRenewed = false

    /// Makes a world with a number of inputs.
    package init(inputs: Int) {
        self.inputs = inputs
    }

    private var isSyncing: Bool { self.machine.phase == .syncing }

    private var moment: RunMoment { RunMoment(now: self.now, chance: 0.5) }
}

// MARK: - Steps

extension RunWorld {
    package var moves: [Move] {
        guard self.hasBegun else { return [.begin] }
        let ends = self.isSyncing ? Ending.allCases.filter { $0 == .quietly || self.inputs > 0 }.map(Move.end) : []
        guard !self.isOver else { return ends }
        let wakes: [Move] = self.machine.alarm != nil && (self.inputs > 0 || !self.isPoll) ? [.wake] : []
        guard self.inputs > 0 else { return wakes + ends }
        return wakes + ends + [
            .edit, .hint, .hintSoon, .hintInVain, .watch(!self.machine.isWatched), .watch(self.machine.isWatched),
            .connect(!self.isConnected), .connect(self.isConnected), .appSyncs, .renew, .stop, .closeLid, .wakeTooEarly,
        ] + RunAllowance.allCases.filter { $0 != self.allowance }.map { .fund($0) }
    }

    /// Whether the next sync would only poll. Polling never ends.
    private var isPoll: Bool {
        switch self.machine.phase {
        case .polling: true
        case .paused: self.unsent == nil
        case .listening, .due, .syncing, .waiting: false
        }
    }

    package func isProgress(_ move: Move) -> Bool {
        switch move {
        case .wake: !self.isPoll
        case .end(let ending): ending == .quietly
        case .begin: true
        case .edit, .hint, .hintSoon, .hintInVain, .watch, .connect, .fund, .appSyncs, .renew, .stop, .closeLid,
            .wakeTooEarly:
            false
        }
    }

    /// Whether all edits are sent, or blocked by a cause that the loop can't change.
    package var isGoal: Bool {
        let isStopped = self.machine.phase == .paused && self.machine.time == nil
        return self.unsent == nil || self.isOver || !self.isConnected || self.allowance == .nothing || isStopped
    }

    package var key: some Hashable {
        Shape(
            machine: self.machine.shifted(by: .zero - self.now),
            numbers: [self.unsent, self.unsentMeanwhile, self.asked].map { $0.map { $0 - self.now } }
                + [max(self.notBefore - self.now, .zero)],
            flags: [
                self.hasBegun, self.isOver, self.isConnected, self.isKept, self.isRenewed, self.wasAway,
            ],
            allowance: self.allowance,
            inputs: self.inputs)
    }
}

// MARK: - Taking a step

extension RunWorld {
    package func taking(_ move: Move) -> RunWorld {
        var world = self
        world.taken = []
        world.take(move)
        return world
    }

    private mutating func take(_ move: Move) {
        switch move {
        case .begin, .end(.quietly): break
        case .wake: self.inputs -= self.isPoll ? 1 : 0
        case .edit, .hint, .hintSoon, .hintInVain, .watch, .connect, .fund, .appSyncs, .renew, .stop, .closeLid,
            .wakeTooEarly, .end:
            self.inputs -= 1
        }
        switch move {
        case .begin:
            self.hasBegun = true
            self.follow(self.machine.begin(self.moment))
        case .edit:
            self.edit()
            self.follow(self.machine.edit(self.moment))
        case .hint:
            self.ask(at: self.now)
            self.follow(self.machine.hint(isNews: true, self.moment))
        case .hintSoon:
            self.ask(at: self.now + Self.pace)
            self.follow(self.machine.hint(isNews: true, askingAt: self.now + Self.pace, self.moment))
        case .hintInVain: self.follow(self.machine.hint(isNews: false, self.moment))
        case .watch(let isWatched): self.follow(self.machine.watch(isWatched, self.moment))
        case .connect(let isConnected):
            self.wasAway = self.wasAway || !isConnected
            self.isConnected = isConnected
            self.follow(self.machine.connect(isConnected, self.moment))
            self.allowAfterAbsence()
        case .fund(let allowance):
            self.allowance = allowance
            self.follow(self.machine.fund(allowance, self.moment))
            self.allowAfterAbsence()
        case .appSyncs:
            if !self.isSyncing { self.beginSync() }
            self.follow(self.machine.join())
        case .renew:
            if self.isSyncing { self.isRenewed = true }
            if self.isKept { (self.isKept, self.notBefore) = (false, self.now) }
            self.follow(self.machine.renew(self.moment))
        case .stop:
            self.isOver = true
            self.follow(self.machine.stop())
        case .closeLid: self.now += .seconds(3_600)
        case .wake:
            self.now = max(self.now, self.machine.alarm ?? self.now)
            self.follow(self.machine.wake(at: self.now))
        case .wakeTooEarly: self.follow(self.machine.wake(at: .seconds(-1)))
        case .end(let ending): self.end(ending)
        }
        self.check()
    }

    private mutating func edit() {
        self.unsent = self.unsent ?? self.now
        if self.isSyncing { self.unsentMeanwhile = self.unsentMeanwhile ?? self.now }
        self.allow(at: self.now + Self.plan.debounce)
    }

    private mutating func ask(at time: Duration) {
        self.asked = min(self.asked ?? time, time)
        self.allow(at: time)
    }

    private mutating func allow(at time: Duration) {
        if !self.isKept { self.notBefore = min(self.notBefore, time) }
    }

    private mutating func allowAfterAbsence() {
        guard self.isConnected, self.allowance == .everything, self.wasAway else { return }
        self.wasAway = false
        self.ask(at: self.now)
    }

    private mutating func beginSync() {
        self.unsentMeanwhile = nil
        self.asked = nil
        self.isRenewed = false
        self.isKept = false
        // An event during the sync may lead to the next sync.
        self.notBefore = .seconds(1 << 40)
    }

    private mutating func end(_ ending: Ending) {
        let last = ending == .withoutTheLast ? self.unsentMeanwhile : nil
        let end: RunEnd
        switch ending {
        case .quietly, .withoutTheLast: end = .done(hasNews: false, hasUnsent: last != nil)
        case .withNews: end = .done(hasNews: true, hasUnsent: false)
        case .later: end = .later(self.now + .seconds(40))
        case .unauthorized: end = .unauthorized
        case .stopped: end = .stopped
        case .broken: end = .broken
        case .cancelled: end = .cancelled
        }
        switch end {
        case .done:
            self.unsent = last
            self.keep(for: Self.plan.minPollInterval, isKept: false)
        case .later: self.keep(for: .seconds(40), isKept: true)
        case .unauthorized: self.keep(for: Self.plan.minCredentialRetry, isKept: true)
        case .stopped: self.keep(for: .seconds(1 << 40), isKept: true)
        case .broken: self.keep(for: Self.plan.minPollInterval, isKept: true)
        case .cancelled: self.notBefore = self.now
        }
        if self.isKept, self.isRenewed { (self.isKept, self.notBefore) = (false, self.now) }
        self.follow(self.machine.end(end, self.moment))
    }

    /// Forbids a sync for a span. An event of the last sync can shorten the span, unless it is kept.
    private mutating func keep(for span: Duration, isKept: Bool) {
        self.notBefore = isKept ? self.now + span : min(self.notBefore, self.now + span)
        self.isKept = isKept
    }
}

// MARK: - Properties

extension RunWorld {
    private mutating func follow(_ step: RunMachine.Step) {
        self.taken.append(Cell(phase: step.source, event: step.event))
        guard step.actions.has(.sync) else { return }
        if step.source == .syncing { self.violation = "two syncs at once" }
        if !self.isConnected || self.allowance == .nothing {
            self.violation = "a sync starts without a network, or a budget"
        }
        if self.allowance == .ownEdits, self.unsent == nil {
            self.violation = "a sync that only polls starts from the reserve"
        }
        if self.isOver { self.violation = "a sync starts after the loop was stopped" }
        if self.now < self.notBefore { self.violation = "a sync starts \(self.notBefore - self.now) too early" }
        self.beginSync()
    }

    private mutating func check() {
        let isBlocked = !self.isConnected || self.allowance != .everything
        if self.machine.isBlocked != isBlocked {
            self.violation = "the machine and the world differ about whether the loop is blocked"
        }
        guard self.isConnected, self.allowance != .nothing, !self.isOver, self.machine.phase == .due else { return }
        let isAsked = self.allowance == .everything && self.asked != nil
        guard let alarm = self.machine.alarm else {
            if isAsked || self.unsent != nil { self.violation = "a sync is due, and no time is set for it" }
            return
        }
        let times = [isAsked ? self.asked : nil, self.unsent.map { $0 + Self.plan.maxDebounce }]
        let latest = max(self.now, times.compactMap(\.self).min() ?? self.now)
        if alarm > latest { self.violation = "a sync is due \(alarm - latest) too late" }
    }
}
