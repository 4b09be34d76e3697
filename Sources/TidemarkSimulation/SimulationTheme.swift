import TidemarkCore
import TidemarkRules

/// What a run is about that is about one thing: what is rare where anything can happen comes again and again.
enum SimulationTheme: CaseIterable, Sendable {
    /// Two people change the same field, and its rule decides.
    case fields

    /// A server goes back while an answer is ahead of what was read.
    case shownEarly

    /// A server goes back, and a person is asked about what it has lost.
    case question

    /// A server goes back between two pages.
    case pages

    /// Results and pages are small, and what is remembered of them.
    case results

    /// Edits are refused, and what is held meets what others do.
    case held

    /// What is to be deleted is gone, and the server minds.
    case gone

    /// Traces are shorter than what happens at once.
    case traces

    /// Many edits go out at once, and their answers are lost.
    case order

    /// Answers say what makes no sense.
    case nonsense

    /// Edits are refused again and again, and what is given up and sent again.
    case refused

    /// Counters, and answers that are lost: each addition counts once.
    case counters

    /// Apps run, and sync by themselves.
    case running

    /// There is too little room, and more again.
    case room

    /// What a seed is about; nil where it is about everything.
    init?(seed: UInt64) {
        guard seed.isMultiple(of: 2) else { return nil }
        self = Self.allCases[Int(seed / 2 % UInt64(Self.allCases.count))]
    }

    typealias Phrase = (inout SimulationDraw) -> [SimulationStep]

    /// What happens, a few steps at a time.
    var phrases: [(weight: Int, draw: Phrase)] {
        switch self {
        case .fields: Self.fieldPhrases
        case .shownEarly: Self.shownEarlyPhrases
        case .question: Self.questionPhrases
        case .pages: Self.pagePhrases
        case .results: Self.resultPhrases
        case .held: Self.heldPhrases
        case .gone: Self.gonePhrases
        case .traces: Self.tracePhrases
        case .order: Self.orderPhrases
        case .nonsense: Self.nonsensePhrases
        case .refused: Self.refusedPhrases
        case .counters: Self.counterPhrases
        case .running: Self.runningPhrases
        case .room: Self.roomPhrases
        }
    }
}

extension SimulationDraw {
    /// A run about one thing: little is set, and little can happen.
    mutating func script(
        about theme: SimulationTheme, steps count: Int, devices: Int?, faults: Set<SimulationFault>
    ) -> SimulationScript {
        self.collections = ["notes"]
        self.pks = ["a", "b", "c"]
        self.setting.devices = devices ?? 2
        self.set(theme)
        var steps: [SimulationStep] = theme == .running ? [.device(0, .run), .device(1, .run)] : []
        while steps.count < count {
            let phrase = self.draw(theme.phrases)(&self)
            steps += phrase.filter { $0.fault.map { faults.contains($0) } ?? true }.prefix(count - steps.count)
        }
        return SimulationScript(self.setting, steps)
    }

    private mutating func set(_ theme: SimulationTheme) {
        self.setting.pageSize = self.pick([1, 2, 3, 7, SimulationSetting().pageSize, SimulationSetting().pageSize])
        self.setting.batchSize = self.pick([1, 2, 3, SimulationSetting().batchSize, SimulationSetting().batchSize])
        switch theme {
        case .fields: self.setFields()
        case .shownEarly:
            self.setting.editDelete = self.pick(AutoMerge.DeletePolicy.allCases)
            self.setting.records = self.pick([0, 2, 3])
            self.setting.pageSize = self.pick([SimulationSetting().pageSize, 1, 2])
        case .question:
            self.pks = self.pick([["a"], ["a", "b"]])
            self.setting.tactic = self.pick([.askUser, .askUser, .autoMerge])
            self.setting.editDelete = .ask
            if self.setting.tactic == .askUser, self.one(in: 2) {
                self.setting.lateRules = 1
                self.setting.rules = [.n: .sum, .text: .text]
            }
            self.setting.wentBack = self.pick([.sendAgain, .sendAgain, .journal])
        case .pages:
            self.pks = ["a", "b", "c", "d"]
            self.setting.pageSize = self.pick([1, 1, 2])
        case .results:
            self.pks = ["a", "b", "c", "d", "e"]
            self.setting.resultBytes = self.pick([200, 300, 400, 600])
            self.setting.rememberedBytes = self.pick([1, 150, 300, SimulationSetting().rememberedBytes])
            self.setting.pageBytes = self.pick([SimulationSetting().pageBytes, 200])
        case .held:
            self.pks = ["a", "b"]
            self.setting.refused = self.pick([.leave, .leave, .ask, .retry, .resign])
        case .gone:
            self.setting.strictDeletions = 1
            self.setting.pageSize = self.pick([1, 1, 2])
        case .traces:
            self.pks = ["a", "b", "c", "d", "e"]
            self.setting.traceLimit = self.pick([1, 2, 3, 5, 8, 12])
        case .order:
            self.pks = ["a", "b", "c", "d", "e", "f"]
            self.setting.batchSize = self.pick([2, 3, 100, 100])
        case .nonsense:
            self.setting.batchSize = self.pick([1, 2, 100])
            self.setting.records = self.pick([0, 1, 3])
        case .refused:
            self.setting.refused = self.pick([.retry, .retry, .retry, .resign, .ask, .leave])
            self.setting.loneFailures = self.pick([1, 2, 3])
            self.setting.silentTries = self.pick([1, 2, 5])
        case .running:
            self.pks = ["a", "b"]
            self.drawLoop()
        case .room: self.setting.refused = self.pick([.leave, .leave, .ask, .retry, .resign])
        case .counters: (self.collections, self.pks) = ([SimulationSetting.counts], SimulationRun.counters)
        }
    }

    private mutating func setFields() {
        self.pks = self.pick([["a"], ["a", "b"]])
        self.setting.devices = min(self.setting.devices, 3)
        self.setting.rules = [.text: .text, .items: .keyed, .n: .sum]
        self.setting.rules[.tags] = self.pick([.union, .union, .list])
        self.setting.rules[.list] = self.pick([.list, .list, .union])
        self.setting.rules[.title] = self.pick([nil, .server, .ask, .client])
        self.setting.rules[.x] = self.pick([nil, .server, .ask])
        self.setting.rules[.a] = self.pick([nil, .server, .ask])
    }

    // MARK: What themes speak of

    /// Something happens on any device.
    mutating func anyone(_ act: SimulationStep.DeviceAct) -> SimulationStep {
        .device(self.chance(self.setting.devices), act)
    }

    /// Two devices, in any order.
    mutating func two() -> (Int, Int) {
        let first = self.chance(self.setting.devices)
        return (first, (first + 1 + self.chance(max(self.setting.devices - 1, 1))) % max(self.setting.devices, 1))
    }

    /// A new word in a field that has no rule.
    mutating func typing(_ place: SimulationStep.Place) -> SimulationStep.DeviceAct {
        .type(place, field: self.pick(["/title", "/x"]), word: self.word())
    }

    mutating func creating(_ place: SimulationStep.Place) -> SimulationStep.DeviceAct {
        .create(place, word: self.word())
    }
}
