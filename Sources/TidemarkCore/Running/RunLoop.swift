package import TidemarkJSON
package import TidemarkMachine

/// What the run loop has in mind of a client: a machine for each collection, what was spent, and who syncs.
///
/// It asks the machines and hands back what there is to do. It has neither a clock nor a task; see ``SyncClient/run(_:connectivity:)``.
package struct RunLoop {
    /// What there is to do after some inputs.
    package struct Work {
        /// The collections whose sync is to be started now.
        package var syncs: [CodePointString] = []

        /// The collections of which a person may see a difference.
        package var changed: Set<CodePointString> = []
    }

    private let plan: RunPlan
    private var machines: [CodePointString: RunMachine] = [:]
    private var budget: RunBudget
    private var isConnected = true
    private var generator: SeededGenerator

    /// Those that are to sync, and wait until others are done, in their order.
    private var queue: [CodePointString] = []

    /// Those whose sync the loop has started.
    private var started: Set<CodePointString> = []

    /// Whom it listens to.
    package private(set) var hints: HintWatch
    private var hintGenerator: SeededGenerator

    /// What was hinted about collections while they were syncing: the sync may bring that very thing.
    private var hintedMeanwhile: [CodePointString: String?] = [:]

    /// The last time that was given to a sync that follows a hint, of whichever collection: the next one keeps a distance.
    private var lastHintedTime: Duration?

    /// What was last said of hints.
    private var told = RunStatus.Hints.none(why: nil, next: nil)

    /// A loop that has not begun.
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

    /// How the loop stands.
    package var status: RunStatus {
        RunStatus(
            isConnected: self.isConnected, requests: self.budget.requests, bytes: self.budget.bytes,
            budgetRenewal: self.budget.renewal, hints: self.hints.status,
            collections: self.machines.sorted { $0.key < $1.key }.map { self.run(of: $0.key, $0.value) })
    }
}

// MARK: - Inputs

extension RunLoop {
    /// The loop begins with the collections that are known.
    ///
    /// - Parameter syncing: Those of which a sync goes on already, which is joined.
    package mutating func begin(_ names: [String], syncing: Set<CodePointString>, now: Duration) -> Work {
        var work = Work()
        for name in names { self.take(.named(CodePointString(name)), now, { _ in nil }, &work) }
        for name in syncing.sorted() { self.take(.began(name), now, { _ in nil }, &work) }
        self.listen(now, &work)
        return self.started(work)
    }

    /// Takes in what happened.
    ///
    /// - Parameter watermark: Where the store has read a collection's feed to; nil for not at all.
    package mutating func take(_ inputs: [RunInput], now: Duration, watermark: (String) -> String?) -> Work {
        var work = Work()
        for input in inputs { self.take(input, now, watermark, &work) }
        self.listen(now, &work)
        return self.started(work)
    }

    /// The loop ends: no sync starts any more.
    mutating func end(now: Duration) -> Work {
        var work = Work()
        self.queue = []
        self.tellAll(now, &work) { machine, _ in machine.stop() }
        return work
    }

    private mutating func take(
        _ input: RunInput, _ now: Duration, _ watermark: (String) -> String?, _ work: inout Work
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
            // One that was forgotten meanwhile has begun nothing.
            guard self.machines[name]?.phase == .syncing else { return }
            // What waited for a place has been done by a sync of the app's.
            self.queue.removeAll { $0 == name }
            self.tell(name, now, &work) { $0.end(end, $1) }
            self.lookAgain(at: name, now, watermark, &work)
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
            self.tellAll(now, &work) { $0.renew($1) }
            self.hints.renew(self.hintMoment(now), mayListen: self.mayListen)
        case .connected(let isConnected):
            self.isConnected = isConnected
            self.tellAll(now, &work) { $0.connect(isConnected, $1) }
        case .alarm(let time):
            self.fund(now, &work)
            for name in self.names where self.machines[name]?.alarm.map({ $0 <= time }) == true {
                self.tell(name, now, &work) { machine, _ in machine.wake(at: time) }
            }
            self.hints.wake(self.hintMoment(now), mayListen: self.mayListen)
        case .heard(let number, let heard): self.hear(number, heard, now, watermark, &work)
        case .listened(let number, let result):
            if self.hints.isUnheard(number), result != .success(.never) {
                self.take(.spent(requests: 1, bytes: 0), now, watermark, &work)
            }
            self.hints.end(number, result, self.hintMoment(now))
        }
    }

    /// Tells everyone when the budget, or all of it but the reserve, is spent, or is renewed.
    private mutating func fund(_ now: Duration, _ work: inout Work) {
        self.budget.pass(to: now)
        let allowance = self.budget.allowance
        for name in self.names where self.machines[name]?.allowance != allowance {
            self.tell(name, now, &work) { $0.fund(allowance, $1) }
        }
    }

    /// A collection that the loop did not know: it was made by what is told of it next.
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
    private var mayListen: Bool { self.isConnected && self.budget.allowance != .nothing }

    private mutating func hintMoment(_ now: Duration) -> RunMoment {
        RunMoment(now: now, chance: Double.random(in: 0...1, using: &self.hintGenerator))
    }

    /// Listens for all collections there are, and tells them when nobody hints any more.
    private mutating func listen(_ now: Duration, _ work: inout Work) {
        let before = self.told
        let moment = self.hintMoment(now)
        self.hints.allow(self.mayListen, moment)
        self.hints.watch(self.names, moment, mayListen: self.mayListen)
        if !self.hints.isHinted {
            for name in self.names where self.machines[name]?.isWatched == true {
                self.tell(name, now, &work) { $0.watch(false, $1) }
            }
        }
        self.told = self.hints.status
        if self.told != before { work.changed.formUnion(self.names) }
    }

    private mutating func hear(
        _ number: Int, _ heard: HeardHints, _ now: Duration, _ watermark: (String) -> String?, _ work: inout Work
    ) {
        if heard.bytes > 0 { self.take(.spent(requests: 0, bytes: heard.bytes), now, watermark, &work) }
        let (counts, isFirst) = self.hints.hear(number, heard, self.hintMoment(now))
        guard counts else { return }
        if isFirst {
            self.take(.spent(requests: 1, bytes: 0), now, watermark, &work)
            for name in self.hints.names where self.machines[name]?.isWatched == false {
                self.tell(name, now, &work) { $0.watch(true, $1) }
            }
        }
        // In the order of the names: each hint draws a random number, and may take the next place in the queue.
        for (name, mark) in heard.moved.sorted(by: { $0.key < $1.key }) {
            if self.machines[name]?.phase == .syncing {
                self.hintedMeanwhile.updateValue(mark, forKey: name)
            } else {
                self.hint(at: name, mark, now, watermark, &work)
            }
        }
    }

    /// A collection may have moved. Each is given a time of its own at which it is asked, so that those that are hinted at all
    /// the time have their turns.
    private mutating func hint(
        at name: CodePointString, _ mark: String?, _ now: Duration, _ watermark: (String) -> String?,
        _ work: inout Work
    ) {
        let isNews = Self.isNews(mark, watermark(name.value))
        let former = self.machines[name]?.askTime
        let time = self.nextHintedTime(now)
        self.tell(name, now, &work) { $0.hint(isNews: isNews, askingAt: time, $1) }
        if let given = self.machines[name]?.askTime, given != former { self.lastHintedTime = given }
    }

    /// When the next sync may start that follows a hint.
    private func nextHintedTime(_ now: Duration) -> Duration {
        guard let lastHintedTime else { return now }
        let pace = self.budget.pace(at: now)
        // By a clock that was set back the last one may be far ahead.
        return min(max(now, lastHintedTime + pace), now + pace * max(self.machines.count, 1))
    }

    /// What was hinted during a sync is judged by what it brought.
    private mutating func lookAgain(
        at name: CodePointString, _ now: Duration, _ watermark: (String) -> String?, _ work: inout Work
    ) {
        guard let mark = self.hintedMeanwhile.removeValue(forKey: name) else { return }
        self.hint(at: name, mark, now, watermark, &work)
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
            case .say: work.changed.insert(name)
            // The earliest alarm of all is set after the inputs; at the end of the loop all its tasks are cancelled.
            case .wake, .cancel: break
            }
        }
    }

    private mutating func tellAll(
        _ now: Duration, _ work: inout Work, _ event: (inout RunMachine, RunMoment) -> RunMachine.Step
    ) {
        for name in self.names { self.tell(name, now, &work, event) }
    }

    /// Lets those sync that have a place. One whose last sync has ended, and whose task has not, waits for that; and so does one
    /// for which there is neither network nor budget any more when it has its place.
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
        guard self.isConnected else { return false }
        return switch self.budget.allowance {
        case .everything: true
        case .ownEdits: self.machines[name]?.hasEdits ?? false
        case .nothing: false
        }
    }

    /// How a collection stands: what waits for a place is due, whatever its machine takes for granted.
    private func run(of name: CodePointString, _ machine: RunMachine) -> RunStatus.CollectionRun {
        RunStatus.CollectionRun(
            collection: name.value, phase: self.queue.contains(name) ? .due : machine.phase, next: machine.alarm)
    }
}
