import TidemarkCore
import TidemarkRules

/// The theme of a run, which makes rare events frequent.
enum SimulationTheme: CaseIterable, Sendable {
    /// Two users change the same field, and its rule decides.
    case fields

    /// A server is rolled back while the rows of an answer are beyond the cursor.
    case shownEarly

    /// A server is rolled back, and the user is asked about the lost values.
    case question

    /// A server is rolled back between two pages.
    case pages

    /// Results, pages and stored results have small limits.
    case results

    /// Edits are refused, and held records meet writes of other devices.
    case held

    /// A record to delete is missing, and the server refuses the delete.
    case gone

    /// Traces are shorter than the transitions of one input.
    case traces

    /// Many edits are sent at once, and their answers are lost.
    case order

    /// Answers have malformed items.
    case nonsense

    /// Edits are refused repeatedly, and some are discarded or sent again.
    case refused

    /// Counters, and answers that are lost: each addition counts once.
    case counters

    /// Apps run their loops and sync by themselves.
    case running

    /// The quota is too small, and larger again.
    case room

    /// Records name others, and a server with foreign keys refuses a child before its parent.
    case references

    /// The theme of a seed; nil for a run of all acts.
    init?(seed: UInt64) {
        // The themes before this one keep their seeds.
        let others = Self.allCases.count - 1
        if seed % UInt64(others) == 3 {
            self = .references
        } else if seed.isMultiple(of: 2) {
            self = Self.allCases[Int(seed / 2 % UInt64(others))]
        } else {
            return nil
        }
    }

    typealias Phrase = (inout SimulationDraw) -> [SimulationStep]

    /// The phrases, each a few steps.
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
        case .references: Self.referencePhrases
        }
    }
}

extension SimulationDraw {
    /// Draws a themed run, with few settings and few acts.
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
            self.setting.records = self.pick([0, 2])
            self.setting.tactic = self.pick([.askUser, .askUser, .autoMerge])
            self.setting.editDelete = .ask
            if self.setting.tactic == .askUser, self.one(in: 2) {
                self.setting.lateRules = 1
                self.setting.rules = [.n: .sum, .text: .text]
            }
            self.setting.rollbackPolicy = self.pick([.sendAgain, .sendAgain, .journal])
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
            self.setting.poisonFailures = self.pick([1, 2, 3])
            self.setting.unansweredPosts = self.pick([1, 2, 5])
        case .running:
            self.pks = ["a", "b"]
            self.drawLoop()
        case .room: self.setting.refused = self.pick([.leave, .leave, .ask, .retry, .resign])
        case .references: self.setReferences()
        case .counters: (self.collections, self.pks) = ([SimulationSetting.counts], SimulationRun.counters)
        }
    }

    private mutating func setFields() {
        self.pks = self.pick([["a"], ["a", "b"]])
        self.setting.devices = min(self.setting.devices, 3)
        self.setting.rounds = self.pick([2, 5, 5])
        self.setting.rules = [.text: .text, .items: .keyed, .n: .sum]
        self.setting.rules[.tags] = self.pick([.union, .union, .list])
        self.setting.rules[.list] = self.pick([.list, .list, .union])
        self.setting.rules[.title] = self.pick([nil, .server, .ask, .client])
        self.setting.rules[.x] = self.pick([nil, .server, .ask])
        self.setting.rules[.a] = self.pick([nil, .server, .ask])
    }

    private mutating func setReferences() {
        self.setting.references = 1
        self.setting.devices = min(self.setting.devices, 3)
        self.collections = SimulationSetting.collections
        self.pks = self.pick([["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]])
        self.setting.refused = self.pick([.leave, .leave, .ask, .retry, .resign])
        self.setting.poisonFailures = self.pick([1, 2, 3])
        self.setting.tactic = self.pick([.autoMerge, .autoMerge, .takeServer, .takeClient, .askUser])
        self.setting.editDelete = self.pick(AutoMerge.DeletePolicy.allCases)
        self.setting.deleteEdit = self.pick(AutoMerge.DeletePolicy.allCases)
        self.drawLoop()
    }

    // MARK: Parts of phrases

    /// An act on any device.
    mutating func anyone(_ act: SimulationStep.DeviceAct) -> SimulationStep {
        .device(self.chance(self.setting.devices), act)
    }

    /// Two devices, in any order.
    mutating func two() -> (Int, Int) {
        let first = self.chance(self.setting.devices)
        return (first, (first + 1 + self.chance(max(self.setting.devices - 1, 1))) % max(self.setting.devices, 1))
    }

    /// A new word in a field without a rule.
    mutating func typing(_ place: SimulationStep.Place) -> SimulationStep.DeviceAct {
        .type(place, field: self.pick(["/title", "/x"]), word: self.word())
    }

    mutating func creating(_ place: SimulationStep.Place) -> SimulationStep.DeviceAct {
        .create(place, word: self.word())
    }
}
