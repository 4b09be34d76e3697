import TidemarkCore
import TidemarkRules
import TidemarkTesting

/// Draws the script of a run from a seed.
///
/// Each run leaves some acts and faults out and prefers others. An event that is rare in a run of all acts, such as ten refused
/// requests in a row, is common in a run with few kinds of acts. Every other run has a theme.
package struct SimulationDraw {
    var generator: SeededGenerator
    var setting = SimulationSetting()
    var words = 0
    var pks: [String] = []
    var collections: [String] = []
    private var fates: [(weight: Int, draw: (inout SimulationDraw) -> SimulationStep.RequestFate)] = []

    /// Makes a draw; the same seed draws the same script.
    package init(seed: UInt64) {
        self.generator = SeededGenerator(seed: seed)
        self.setting.seed = seed
    }

    /// Draws a setting and steps. A step of a fault that is not permitted is drawn again.
    ///
    /// - Parameters:
    ///   - count: The number of steps.
    ///   - devices: The number of devices; drawn by default.
    ///   - faults: The possible faults.
    ///   - isThemed: Whether the runs of most seeds have a theme (``SimulationTheme``), which makes rare events frequent.
    package mutating func script(
        steps count: Int, devices: Int?, faults: Set<SimulationFault> = Set(SimulationFault.allCases),
        isThemed: Bool = true
    ) -> SimulationScript {
        if isThemed, let theme = SimulationTheme(seed: self.setting.seed) {
            return self.script(about: theme, steps: count, devices: devices, faults: faults)
        }
        self.drawSetting(devices: devices)
        self.pks = Array(SimulationSetting.pks.prefix(self.pick([1, 2, 3, 6])))
        self.collections = Array(SimulationSetting.collections.prefix(self.one(in: 4) ? 2 : 1))
        let (isLossy, isTroubled) = (self.one(in: 3), self.one(in: 3))
        let (isRunning, isTight) = (self.one(in: 3), self.one(in: 5))
        // Not drawn, so that the other runs keep their scripts.
        let isTransacting = self.setting.seed % 5 == 1
        let acts = self.swarm(
            Self.acts + (isTransacting ? Self.transactions : []) + (isRunning ? Self.runningActs : [])
                + (isTight ? Self.tightActs : [])
                + (isLossy ? Self.lossyActs : []) + (isTroubled ? Self.troubledActs : []))
        self.fates = [(12, { _ in .whole })] + self.swarm(Self.fates)
        var steps: [SimulationStep] = []
        while steps.count < count {
            let step = self.draw(acts)(&self)
            if step.fault.map({ faults.contains($0) }) ?? true { steps.append(step) }
        }
        return SimulationScript(self.setting, steps)
    }

    // MARK: Random numbers

    mutating func chance(_ count: Int) -> Int { Int(self.generator.next() % UInt64(count)) }

    mutating func one(in count: Int) -> Bool { self.chance(count) == 0 }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[self.chance(values.count)] }

    mutating func draw<Value>(_ values: [(weight: Int, draw: Value)]) -> Value {
        var number = self.chance(values.reduce(0) { $0 + $1.weight })
        for value in values {
            if number < value.weight { return value.draw }
            number -= value.weight
        }
        return values[0].draw
    }

    /// Draws weights: some values are left out, and some are frequent.
    private mutating func swarm<Value>(
        _ values: [(weight: Int, draw: Value)]
    ) -> [(weight: Int, draw: Value)] {
        let factors = values.map { _ in self.pick([0, 0, 1, 1, 1, 4]) }
        let swarm = zip(values, factors).map { ($0.weight * ($0.weight >= 10 ? max($1, 1) : $1), $0.draw) }
        return swarm.contains { $0.0 > 0 } ? swarm : values
    }

    mutating func word() -> Int {
        self.words += 1
        return self.words
    }

    mutating func place() -> SimulationStep.Place {
        SimulationStep.Place(collection: self.pick(self.collections), pk: self.pick(self.pks))
    }

    /// The counters, or one of the other collections.
    private mutating func anyCollection() -> String {
        self.one(in: 3) ? SimulationSetting.counts : self.pick(self.collections)
    }

    private mutating func field() -> SimulationSetting.Field {
        self.pick([.title, .title, .x, .a, .b])
    }

    mutating func choice() -> SimulationStep.Choice {
        switch self.chance(8) {
        case 0: .server
        case 1: .client
        case 2: .clashesForServer
        case 3, 4: .clashesForClient
        case 5: .ask
        case 6: .keepBoth
        default: .merge(word: self.word())
        }
    }

    // MARK: Acts

    private typealias Act = (inout SimulationDraw) -> SimulationStep

    private static func device(_ act: @escaping (inout SimulationDraw) -> SimulationStep.DeviceAct) -> Act {
        { draw in
            let device = draw.chance(draw.setting.devices)
            return .device(device, act(&draw))
        }
    }

    private static var acts: [(weight: Int, draw: Act)] {
        [
            (14, device { .create($0.place(), word: $0.word()) }),
            (20, device { .type($0.place(), field: $0.field().pointer, word: $0.word()) }),
            (4, device { .clear($0.place(), field: $0.field().pointer) }),
            (6, device { .append($0.place(), field: $0.pick(["/tags", "/list", "/text"]), word: $0.word()) }),
            (3, device { .drop($0.place(), field: $0.pick(["/tags", "/list"]), index: $0.chance(4)) }),
            (6, device { .draft($0.place()) }),
            (6, device { .save($0.place(), field: $0.field().pointer, word: $0.word()) }),
            (3, device { .put($0.place(), field: "/items", key: $0.chance(3), word: $0.word()) }),
            (
                10,
                device {
                    .add(
                        .init(collection: SimulationSetting.counts, pk: $0.pick(SimulationRun.counters)),
                        $0.pick([1, 1, 20]))
                }
            ),
            (2, device { .add($0.place(), $0.pick([1, 1, 20])) }),
            (5, device { .delete($0.place()) }),
            (3, device { .release($0.place()) }),
            (1, device { .release(.init(collection: SimulationSetting.counts, pk: $0.pick(SimulationRun.counters))) }),
            (3, device { .resign($0.place()) }),
            (2, device { .restore($0.pick($0.collections), $0.chance(20)) }),
            (1, device { .restoreLost($0.pick($0.collections)) }),
            (3, device { .look($0.pick($0.collections), $0.chance(3)) }),
            (3, device { .decide($0.pick($0.collections), $0.choice()) }),
            (4, device { .resolve($0.pick($0.collections), $0.chance(3), $0.choice()) }),
            (16, device { .sync($0.anyCollection()) }),
            (12, device { .begin($0.anyCollection()) }),
            (40, device { .carry($0.chance(3), $0.draw($0.fates)(&$0)) }),
            (1, device { .persist($0.anyCollection()) }),
            (2, device { .wake($0.anyCollection()) }),
            (2, device { .renew($0.anyCollection()) }),
            (4, device { _ in .restart }),
            (1, device { _ in .respell }),
            (2, device { .fail($0.chance(9)) }),
            (2, device { .crash($0.chance(9)) }),
            (1, device { .clock($0.pick([-3_600, -60, 60, 400, 4_000, 90_000])) }),
            (1, device { .account(isOther: $0.one(in: 3)) }),
            (8, { .answer($0.chance(4), $0.pick([.hear, .hear, .hear, .hearAgain, .lose])) }),
            (3, { .late($0.chance(4)) }),
            (1, device { _ in .copy }),
            (2, { _ in .server(.restart) }),
            (1, { .server(.clock($0.pick([-3_600, -60, 60, 4_000]))) }),
        ]
    }

    /// Acts after which sums are not guaranteed, so most runs leave them out.
    private static var lossyActs: [(weight: Int, draw: Act)] {
        [
            (3, { _ in .server(.backup) }),
            (3, { _ in .server(.restore) }),
            (1, { _ in .server(.anew) }),
            (1, { .server(.purge(days: $0.pick([1, 50, 100]))) }),
        ]
    }

    /// Changes of several records in one transaction, undo and redo, and answers by field.
    private static var transactions: [(weight: Int, draw: Act)] {
        [
            (
                10,
                device { .transact($0.place(), deleting: $0.place(), word: $0.word(), $0.course()) }
            ),
            (10, device { .amend($0.place(), field: $0.amendedField(), word: $0.word()) }),
            (8, device { _ in .undo }),
            (6, device { _ in .redo }),
            (6, device { .resolve($0.pick($0.collections), $0.chance(3), .fields(sides: $0.chance(8))) }),
            (2, device { .decide($0.pick($0.collections), .fields(sides: $0.chance(8))) }),
        ]
    }

    private mutating func course() -> SimulationStep.TransactionCourse {
        self.one(in: 2) ? .ends : self.pick(SimulationStep.TransactionCourse.allCases)
    }

    private mutating func amendedField() -> String {
        self.pick(SimulationSetting.Field.allCases).pointer
    }

    /// Time passes, and the run loop decides when to sync.
    private static var runningActs: [(weight: Int, draw: Act)] {
        [
            (10, device { _ in .run }), (1, device { _ in .stop }),
            (30, device { .later($0.span()) }),
            (3, device { _ in .offline }), (6, device { _ in .online }),
            (8, device { .hear($0.pick(SimulationStep.HintFate.allCases)) }),
        ]
    }

    /// Milliseconds, hours at most.
    mutating func span() -> Int {
        self.pick([1, 100, 400, 600, 600, 2_000, 6_000, 6_000, 20_000, 60_000, 400_000, 4_000_000])
    }

    /// The quota of an account becomes too small, and larger again.
    private static var tightActs: [(weight: Int, draw: Act)] {
        [(4, { .server($0.room()) })]
    }

    mutating func room() -> SimulationStep.ServerAct {
        .room(rows: self.pick([0, 0, 3, 4, 6]), bytes: self.pick([0, 0, 60, 200, 500]))
    }

    /// Acts of devices that keep trying, which shows the effect of a trouble.
    private static var troubledActs: [(weight: Int, draw: Act)] {
        [
            (4, { draw in .server(.trouble(draw.trouble())) }),
            (6, device { .persist($0.anyCollection()) }),
        ]
    }

    private mutating func trouble() -> SimulationStep.Trouble {
        // Not ``alternating``, whose invented version no model of a restored server has.
        switch self.chance(13) {
        case 0, 1: .none
        case 12: .strangers
        case 8: .longCursor
        case 9: .namelessItems
        case 10: .oddItem(self.place())
        case 11: .knownRows
        case 2: .emptyPages
        case 3: .circle
        case 4: .contention
        case 5: .unwritable(self.pick([0, 403, 500, 503]))
        case _: .poison(self.place(), self.pick([0, 403, 500, 503]))
        }
    }

    private static var fates: [(weight: Int, draw: (inout SimulationDraw) -> SimulationStep.RequestFate)] {
        [
            (4, { _ in .slow }), (2, { _ in .twice }), (3, { _ in .lost }), (3, { _ in .late }),
            (4, { _ in .answerLost }),
            (2, { .cut($0.chance(600)) }),
            (4, { .status($0.pick([401, 403, 403, 405, 413, 429, 500, 502, 503, 511])) }),
            (3, { .status($0.pick([413, 503])) }),
            (2, { .statusAfter($0.pick([500, 502, 504])) }),
            (1, { .rest($0.pick([0, 30, 5_000_000_000])) }), (1, { _ in .html }), (1, { _ in .redirect }),
            (2, { .refuse($0.chance(4)) }),
        ]
    }

    // MARK: The setting of a run

    private mutating func drawSetting(devices: Int?) {
        self.setting.devices = devices ?? self.pick([2, 2, 2, 3, 3, 4, 5, 8])
        self.setting.pageSize = self.pick([1, 2, 3, 7, 500, 500])
        self.setting.batchSize = self.pick([1, 2, 3, 100, 100])
        self.setting.rounds = self.pick([1, 2, 5, 5])
        self.setting.poisonFailures = self.pick([1, 2, 3, 3])
        self.setting.unansweredPosts = self.pick([1, 2, 5])
        self.setting.pageBytes = self.pick([SimulationSetting().pageBytes, SimulationSetting().pageBytes, 1, 200])
        self.setting.resultBytes = self.pick([SimulationSetting().resultBytes, SimulationSetting().resultBytes, 1, 300])
        self.setting.rememberedBytes = self.pick([SimulationSetting().rememberedBytes, 300, 1])
        let usual = SimulationSetting()
        self.setting.bodyBytes = self.pick([usual.bodyBytes, usual.bodyBytes, 1, 100, 400])
        self.setting.answerBytes = self.pick([usual.answerBytes, usual.answerBytes, 1, 100, 400])
        self.drawLoop()
        if self.one(in: 4) { self.setting.strictDeletions = 1 }
        if self.one(in: 8) { self.setting.traceLimit = self.pick([20, 1_000_000]) }
        self.setting.tactic = self.pick([.autoMerge, .autoMerge, .autoMerge, .askUser, .takeServer, .takeClient])
        self.setting.editDelete = self.pick(AutoMerge.DeletePolicy.allCases)
        self.setting.deleteEdit = self.pick(AutoMerge.DeletePolicy.allCases)
        self.setting.rollbackPolicy = self.pick(ServerRollbackPolicy.allCases)
        self.setting.refused = self.pick(SimulationSetting.NamedRefusal.allCases)
        self.setting.rules[.title] = self.pick([nil, nil, .client, .server, .ask])
        self.setting.rules[.x] = self.pick([nil, .server, .ask])
        self.setting.rules[.a] = self.pick([nil, nil, .server, .ask])
        self.setting.rules[.tags] = self.pick([nil, .union, .union, .list])
        self.setting.rules[.list] = self.pick([nil, .list, .ask])
        self.setting.rules[.text] = self.pick([nil, .text, .text])
        self.setting.rules[.items] = self.pick([nil, .keyed, .keyed])
        self.setting.rules[.n] = self.pick([nil, .sum, .sum])
        // The model checks merges by the rules of the whole run, if the tactic merges.
        if self.setting.tactic == .askUser { self.setting.lateRules = self.pick([0, 1]) }
        // Not drawn, so that both kinds of a run have the same steps.
        if self.setting.seed.isMultiple(of: 3) { self.setting.mergesBefore = 1 }
        if self.one(in: 3) { self.setting.replacedFor = self.pick([1, 600, 1_000_000]) }
    }

    /// Draws the plan of the run loop.
    mutating func drawLoop() {
        let usual = SimulationSetting.Loop()
        self.setting.loop.quiet = self.pick([usual.quiet, usual.quiet, 1, 2_000])
        self.setting.loop.longestQuiet = self.pick([usual.longestQuiet, usual.longestQuiet, 600, 2_000])
        self.setting.loop.interval = self.pick([usual.interval, usual.interval, 1, 60])
        self.setting.loop.maxPollInterval = self.pick([usual.maxPollInterval, 60, 900])
        self.setting.loop.idleRequests = self.pick([usual.idleRequests, 1, 60])
        self.setting.loop.requests = self.pick([usual.requests, usual.requests, 1, 3, 10, 30])
        self.setting.loop.bytes = self.pick([usual.bytes, usual.bytes, 1, 300, 3_000])
        self.setting.loop.atOnce = self.pick([usual.atOnce, 1, 2])
        self.setting.loop.deaf = self.pick([0, 0, 0, 1])
        self.setting.loop.events = self.pick([usual.events, 20])
        // If new connections used up the whole budget, a device would never fetch the rows that they announce.
        let watch = self.pick([usual.watch, 60])
        if self.setting.loop.requests == usual.requests { self.setting.loop.watch = watch }
        let isShort = self.setting.loop.watch < usual.watch
        if self.setting.loop.requests < 30 || (1...(isShort ? 3_000 : 300)).contains(self.setting.loop.bytes) {
            self.setting.loop.deaf = 1
        }
    }
}
