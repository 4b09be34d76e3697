package import TidemarkJSON
package import TidemarkMachine

/// The state of a client's run loop: a machine for each collection, the budget, and the running syncs.
///
/// It drives the machines and returns the work to do. It has neither a clock nor a task; see
/// ``SyncClient/run(_:connectivity:)``.
package struct RunLoop {
    /// The work to do after some inputs.
    package struct Work {
        /// The collections whose sync must start now.
        package var syncs: [CodePointString] = []

        /// The collections whose visible status may have changed.
        package var changed: Set<CodePointString> = []
    }

    private let plan: RunPlan
    private var machines: [CodePointString: RunMachine] = [:]
    private var budget: RunBudget
    private var isConnected = true

    /// Whether the client is suspended: then no sync starts, and there is no connection for change notifications.
    private var isSuspended = false

    /// False from a connection for change notifications that could not be made until the server answers.
    private var isReachable = true
    private var generator: SeededGenerator

    /// The collections whose sync is due, and that wait for a free place, in order.
    private var queue: [CodePointString] = []

    /// The collections whose sync the loop has started.
    private var started: Set<CodePointString> = []

    /// The state of listening to change notifications.
    package private(set) var hints: HintWatch
    private var hintGenerator: SeededGenerator

    /// The notifications about collections that arrived during their sync: the sync may fetch the same change.
    private var hintedMeanwhile: [CodePointString: String?] = [:]

    /// The start time that the last sync after a notification got, of any collection: the next such sync starts a minimum
    /// interval later.
    private var lastHintedTime: Duration?

    /// The time of the last inputs.
    private var latest: Duration?

    /// The last reported status of change notifications.
    private var publishedHints = SyncStatus.Run.Hints.none(why: nil, next: nil)

    /// Makes a loop that has not begun.
    package init(_ plan: RunPlan, seed: UInt64) {
        self.plan = plan
        self.budget = RunBudget(plan)
        self.generator = SeededGenerator(seed: seed)
        self.hints = HintWatch(plan)
        self.hintGenerator = SeededGenerator(seed: ~seed)
    }

    /// When to put in ``RunInput/alarm(_:)``; nil for never.
    package var alarm: Duration? {
        (self.machines.values.map(\.alarm) + [self.budget.renewal, self.hints.alarm]).compactMap(\.self).min()
    }

    package var status: SyncStatus.Run {
        SyncStatus.Run(
            isConnected: self.isConnected, isReachable: self.isReachable, requests: self.budget.requests,
            bytes: self.budget.bytes, budgetRenewal: self.budget.renewal, hints: self.hints.status,
            collections: self.machines.sorted { $0.key < $1.key }.map { self.run(of: $0.key, $0.value) })
    }
}

// MARK: - Inputs

extension RunLoop {
    /// Begins with the known collections.
    ///
    /// - Parameter syncing: The collections that are syncing already; their sync is joined.
    package mutating func begin(_ names: [String], syncing: Set<CodePointString>, now: Duration) -> Work {
        var work = Work()
        self.latest = now
        for name in names { self.take(.named(CodePointString(name)), now, { _ in nil }, &work) }
        for name in syncing.sorted() { self.take(.began(name), now, { _ in nil }, &work) }
        self.listen(now, &work)
        return self.started(work)
    }

    /// Processes inputs.
    ///
    /// - Parameter cursor: Returns the store's cursor of a collection; nil if it has none.
    package mutating func take(_ inputs: [RunInput], now: Duration, cursor: (String) -> String?) -> Work {
        var work = Work()
        let jump = self.noteTime(now, inputs)
        for input in inputs { self.take(input.moved(by: jump, to: now), now, cursor, &work) }
        self.listen(now, &work)
        return self.started(work)
    }

    /// Detects a clock that was set back, and moves every time of the loop with it: so no wait is longer than it was when it
    /// was chosen. The timer sleeps for a duration, so if it fires, its time has come, whatever the clock shows.
    ///
    /// - Returns: By how much the clock was set back, as far as that can be known; zero if it was not.
    private mutating func noteTime(_ now: Duration, _ inputs: [RunInput]) -> Duration {
        var latest = self.latest ?? now
        for case .alarm(let time) in inputs where time == self.alarm { latest = max(latest, time) }
        self.latest = now
        guard now < latest else { return .zero }
        let jump = latest - now
        for name in self.machines.keys { self.machines[name]?.setBack(by: jump) }
        self.hints.setBack(by: jump)
        self.lastHintedTime = self.lastHintedTime.map { $0 - jump }
        return jump
    }

    /// Ends the loop: no sync starts any more.
    mutating func end(now: Duration) -> Work {
        var work = Work()
        self.queue = []
        self.tellAll(now, &work) { machine, _ in machine.stop() }
        return work
    }

    private mutating func take(
        _ input: RunInput, _ now: Duration, _ cursor: (String) -> String?, _ work: inout Work
    ) {
        switch input {
        case .edited(let name, let first, let last):
            self.know(name)
            self.tell(name, first, &work) { $0.edit($1) }
            if last > first { self.tell(name, last, &work) { $0.edit($1) } }
        case .began(let name):
            self.know(name)
            self.tell(name, now, &work) { machine, _ in machine.join() }
        case .ended(let name, let end):
            // If the collection was forgotten meanwhile, its new machine is not syncing.
            guard self.machines[name]?.phase == .syncing else { return }
            if end.isAnswered { self.reach(true, &work) }
            // A sync of the app has done the work that waited for a place.
            self.queue.removeAll { $0 == name }
            self.tell(name, now, &work) { $0.end(end, $1) }
            self.lookAgain(at: name, now, cursor, &work)
        case .returned(let name): self.started.remove(name)
        case .named(let name):
            guard self.machines[name] == nil else { return }
            self.know(name)
            self.tell(name, now, &work) { $0.begin($1) }
        case .forgotten(let name):
            self.machines[name] = nil
            self.hintedMeanwhile[name] = nil
            self.queue.removeAll { $0 == name }
        case .spent(let requests, let bytes):
            self.budget.spend(requests: requests, bytes: bytes, at: now)
            self.fund(now, &work)
        case .renewed:
            self.reach(true, &work)
            self.tellAll(now, &work) { $0.renew($1) }
            self.hints.renew(self.hintMoment(now), mayListen: self.mayListen)
        case .suspended(let isSuspended):
            self.isSuspended = isSuspended
            if !isSuspended { self.tellAll(now, &work) { $0.hint(isNews: true, $1) } }
        case .connected(let isConnected):
            self.isConnected = isConnected
            self.reach(true, &work)
            self.tellAll(now, &work) { $0.connect(isConnected, $1) }
        case .alarm(let time):
            self.fund(now, &work)
            for name in self.names where self.machines[name]?.alarm.map({ $0 <= time }) == true {
                self.tell(name, now, &work) { machine, _ in machine.wake(at: time) }
            }
            self.hints.wake(self.hintMoment(now), mayListen: self.mayListen)
        case .heard(let number, let heard): self.hear(number, heard, now, cursor, &work)
        case .listened(let number, let result):
            if self.hints.isUnheard(number), result != .success(.never) {
                self.take(.spent(requests: 1, bytes: 0), now, cursor, &work)
                if case .failure(let failure) = result { self.reach(failure.failureClass != .offline, &work) }
            }
            self.hints.end(number, result, self.hintMoment(now))
        }
    }

    /// Tells every machine if the budget, or all of it except the reserve, is spent, or if it is renewed.
    private mutating func fund(_ now: Duration, _ work: inout Work) {
        self.budget.pass(to: now)
        let allowance = self.budget.allowance
        for name in self.names where self.machines[name]?.allowance != allowance {
            self.tell(name, now, &work) { $0.fund(allowance, $1) }
        }
    }

    /// Notes whether the server answered, or could not be reached.
    private mutating func reach(_ isReachable: Bool, _ work: inout Work) {
        guard isReachable != self.isReachable else { return }
        self.isReachable = isReachable
        work.changed.formUnion(self.names)
    }

    /// Adds a machine for a collection that the loop did not know; the next input is its first.
    private mutating func know(_ name: CodePointString) {
        if self.machines[name] == nil { self.machines[name] = self.newMachine }
    }

    private var newMachine: RunMachine {
        RunMachine(self.plan, isConnected: self.isConnected, allowance: self.budget.allowance)
    }

    private var names: [CodePointString] { self.machines.keys.sorted() }
}

// MARK: - Hints

extension RunLoop {
    private var mayListen: Bool { self.isConnected && !self.isSuspended && self.budget.allowance != .nothing }

    private mutating func hintMoment(_ now: Duration) -> RunMoment {
        RunMoment(now: now, chance: Double.random(in: 0...1, using: &self.hintGenerator))
    }

    /// Listens for all collections, and tells their machines if notifications no longer arrive.
    private mutating func listen(_ now: Duration, _ work: inout Work) {
        let before = self.publishedHints
        let moment = self.hintMoment(now)
        self.hints.allow(self.mayListen, moment)
        self.hints.watch(self.names, moment, mayListen: self.mayListen)
        if !self.hints.isHinted {
            for name in self.names where self.machines[name]?.isWatched == true {
                self.tell(name, now, &work) { $0.watch(false, $1) }
            }
        }
        self.publishedHints = self.hints.status
        if self.publishedHints != before { work.changed.formUnion(self.names) }
    }

    private mutating func hear(
        _ number: Int, _ heard: HeardHints, _ now: Duration, _ cursor: (String) -> String?, _ work: inout Work
    ) {
        if heard.bytes > 0 { self.take(.spent(requests: 0, bytes: heard.bytes), now, cursor, &work) }
        let (counts, isFirst) = self.hints.hear(number, heard, self.hintMoment(now))
        guard counts else { return }
        if isFirst {
            self.reach(true, &work)
            self.take(.spent(requests: 1, bytes: 0), now, cursor, &work)
            for name in self.hints.names where self.machines[name]?.isWatched == false {
                self.tell(name, now, &work) { $0.watch(true, $1) }
            }
        }
        // In the order of the names: each notification draws a random number, and may get the next place in the queue.
        for (name, mark) in heard.moved.sorted(by: { $0.key < $1.key }) {
            if self.machines[name]?.phase == .syncing {
                self.hintedMeanwhile.updateValue(mark, forKey: name)
            } else {
                self.hint(at: name, mark, now, cursor, &work)
            }
        }
    }

    /// Processes a notification that a collection may have changed. Each collection gets a separate time for its request, so
    /// that collections with frequent notifications do not block the others.
    private mutating func hint(
        at name: CodePointString, _ mark: String?, _ now: Duration, _ cursor: (String) -> String?,
        _ work: inout Work
    ) {
        let isNews = Self.isNews(mark, cursor(name.value))
        let former = self.machines[name]?.askTime
        let time = self.nextHintedTime(now)
        self.tell(name, now, &work) { $0.hint(isNews: isNews, askingAt: time, $1) }
        if let given = self.machines[name]?.askTime, given != former { self.lastHintedTime = given }
    }

    /// Returns when the next sync after a notification may start.
    private func nextHintedTime(_ now: Duration) -> Duration {
        guard let lastHintedTime else { return now }
        let pace = self.budget.pace(at: now)
        // If the clock was set back, the last time may be far in the future.
        return min(max(now, lastHintedTime + pace), now + pace * max(self.machines.count, 1))
    }

    /// Processes the notification that arrived during a sync: it is new unless the sync has reached its cursor.
    private mutating func lookAgain(
        at name: CodePointString, _ now: Duration, _ cursor: (String) -> String?, _ work: inout Work
    ) {
        guard let mark = self.hintedMeanwhile.removeValue(forKey: name) else { return }
        self.hint(at: name, mark, now, cursor, &work)
    }

    private static func isNews(_ mark: String?, _ known: String?) -> Bool {
        guard let mark, let known else { return true }
        return !mark.hasSameCodePoints(as: known)
    }
}

// MARK: - Machines

extension RunLoop {
    private mutating func tell(
        _ name: CodePointString, _ now: Duration, _ work: inout Work,
        _ event: (inout RunMachine, RunMoment) -> RunMachine.Step
    ) {
        guard var machine = self.machines[name] else { return }
        let chance = Double.random(in: 0...1, using: &self.generator)
        let step = event(&machine, RunMoment(now: now, chance: chance, collections: self.machines.count))
        self.machines[name] = machine
        for action in RunAction.inOrder where step.actions.has(action) {
            switch action {
            case .sync: self.queue.append(name)
            case .publish: work.changed.insert(name)
            }
        }
    }

    private mutating func tellAll(
        _ now: Duration, _ work: inout Work, _ event: (inout RunMachine, RunMoment) -> RunMachine.Step
    ) {
        for name in self.names { self.tell(name, now, &work, event) }
    }

    /// Starts the due syncs that have a place. A collection waits if the task of its last sync has not ended, or if there is
    /// neither network nor budget when its turn comes.
    private mutating func started(_ work: Work) -> Work {
        var work = work
        while self.started.count < max(self.plan.collectionsAtOnce, 1),
            let index = self.queue.firstIndex(where: { !self.started.contains($0) && self.mayStart($0) })
        {
            let name = self.queue.remove(at: index)
            self.started.insert(name)
            work.syncs.append(name)
        }
        return work
    }

    private func mayStart(_ name: CodePointString) -> Bool {
        guard self.isConnected, !self.isSuspended else { return false }
        return switch self.budget.allowance {
        case .everything: true
        case .ownEdits: self.machines[name]?.hasEdits ?? false
        case .nothing: false
        }
    }

    /// The status of a collection: a sync that waits for a place is due, although its machine counts it as started.
    private func run(of name: CodePointString, _ machine: RunMachine) -> SyncStatus.Run.CollectionRun {
        SyncStatus.Run.CollectionRun(
            collection: name.value, phase: self.queue.contains(name) ? .due : machine.phase, next: machine.alarm)
    }
}

extension RunInput {
    /// The input with its times moved with a clock that was set back; the time of an edit is not in the future.
    fileprivate func moved(by jump: Duration, to now: Duration) -> RunInput {
        switch self {
        case .alarm(let time): .alarm(time - jump)
        case .edited(let name, let first, let last): .edited(name, first: min(first, now), last: min(last, now))
        case .began, .ended, .returned, .named, .forgotten, .spent, .renewed, .suspended, .connected, .heard,
            .listened:
            self
        }
    }
}
