import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Stored traces` {
    /// Two devices in conflict, and a lost answer.
    private func scenario(limit: Int?) throws -> SyncScenario {
        let scenario = try SyncScenario(configuration: SyncConfiguration(traceLimit: limit))
        try scenario.phone.create(["title": "Milk"], pk: "secret name")
        try scenario.settle()
        try scenario.phone.edit("secret name") { $0.title = "Oat milk" }
        try scenario.tablet.edit("secret name") { $0.title = "Rice milk" }
        try scenario.sync(scenario.phone)
        try scenario.tablet.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.tablet)
        try scenario.settle()
        return scenario
    }

    @Test func `a stored trace has the transitions of both machines, and replays`() throws {
        let scenario = try self.scenario(limit: 1_000)
        let trace = try scenario.tablet.engine.storedTrace()
        #expect(trace.differences() == [])
        #expect(trace.entries.map(\.number) == Array(1...Int64(trace.entries.count)))
        #expect(trace.entries.first?.step == .opened(collection: SyncScenario.collection))
        #expect(trace.records == scenario.tablet.traces)
        let failed = trace.exchanges.filter { $0.event == .failed }
        #expect(failed.map(\.failure) == [.offline])
        #expect(failed.map(\.source) == [.posting])
        #expect(failed.first?.time != nil)
        #expect(try SyncTrace(parsing: trace.text) == trace)
    }

    @Test func `a stored trace has no contents, and withoutNames removes the names`() throws {
        let trace = try self.scenario(limit: 1_000).phone.engine.storedTrace()
        #expect(!trace.text.contains("milk"))
        #expect(trace.text.contains("\"pk\":\"secret name\""))
        #expect(!trace.withoutNames().text.contains("secret"))
        #expect(trace.withoutNames().text.contains("\"pk\":\"#1\""))
        #expect(trace.withoutNames().differences() == [])
    }

    @Test func `a trace is stored only while the configuration has a trace limit`() throws {
        #expect(try self.scenario(limit: nil).phone.engine.storedTrace().entries.isEmpty)
        let store = MemoryStore()
        var seed: UInt64 = 0
        func edit(_ limit: Int?) throws -> Int {
            seed += 1
            let engine = try SyncEngine(
                store: store, configuration: SyncConfiguration(traceLimit: limit), seed: seed)
            _ = try engine.create(["n": 1], pk: nil, in: "notes")
            return try engine.storedTrace().entries.count
        }
        #expect(try edit(10) == 2)
        #expect(try edit(10) == 4)
        #expect(try edit(nil) == 0)
        #expect(try store.setting("trace") == nil)
        #expect(try edit(10) == 2)
    }

    @Test(arguments: [1, 31, 32, 33, 100])
    func `a stored trace has the last transitions, in a bounded number`(limit: Int) throws {
        let scenario = try SyncScenario(devices: ["phone"], configuration: SyncConfiguration(traceLimit: limit))
        try scenario.phone.create(["n": 0], pk: "42")
        for number in 1...150 {
            let value = JSON.number(JSONNumber(number))
            try scenario.phone.edit("42") { $0.n = value }
            if number.isMultiple(of: 40) { try scenario.phone.restart() }
        }
        let trace = try scenario.phone.engine.storedTrace()
        #expect((limit...limit + 64).contains(trace.entries.count), "\(trace.entries.count)")
        let last = try #require(trace.entries.last?.number)
        // One create, 150 edits, and four processes that opened the collection.
        #expect(last >= 155)
        #expect(trace.entries.map(\.number) == Array(last - Int64(trace.entries.count) + 1...last))
        #expect(trace.differences() == [])
    }

    @Test func `a stored trace of an input over the limit has its last transitions only`() throws {
        let scenario = try SyncScenario(devices: ["phone"], configuration: SyncConfiguration(traceLimit: 50))
        try scenario.phone.create(["n": 0], pk: "42")
        try scenario.phone.run { (engine) throws(TidemarkError) in
            try engine.upsert(
                (0..<1_000).map { RecordInput(pk: "\($0)", content: ["n": 1]) }, in: SyncScenario.collection
            )
            .effects
        }
        try scenario.phone.edit("999") { $0.n = 2 }
        let trace = try scenario.phone.engine.storedTrace()
        #expect(trace.entries.count == 51)
        #expect(trace.records.map(\.pk) == (950..<1_000).map { "\($0)" } + ["999"])
        #expect(trace.differences() == [])
    }

    @Test func `a trace leaves out a failed transaction, and records the store's failure`() throws {
        let scenario = try SyncScenario(devices: ["phone"], configuration: SyncConfiguration(traceLimit: 100))
        try scenario.phone.create(["n": 0], pk: "42")
        let before = try scenario.phone.engine.storedTrace()
        let full = TidemarkError(.storeFull, "The disk is full.")
        scenario.phone.store.failNextWrite(after: 1, with: full)
        #expect(throws: TidemarkError.self) { try scenario.phone.edit("42") { $0.n = 1 } }
        #expect(try scenario.phone.engine.storedTrace() == before)
        try scenario.phone.sync(SyncScenario.collection)
        scenario.phone.store.failNextWrite(after: 1, with: full)
        #expect(throws: TidemarkError.self) { try scenario.carryOne(scenario.phone) }
        try scenario.settle()
        let trace = try scenario.phone.engine.storedTrace()
        #expect(trace.exchanges.map(\.event).contains(.storeFailed))
        #expect(trace.differences() == [])
    }

    @Test func `a stored trace records that a collection was forgotten`() throws {
        let scenario = try self.scenario(limit: 1_000)
        try scenario.phone.engine.forget(SyncScenario.collection)
        try scenario.sync(scenario.phone)
        let trace = try scenario.phone.engine.storedTrace()
        #expect(trace.entries.contains { $0.step == .forgotten(collection: SyncScenario.collection) })
        #expect(trace.differences() == [])
    }

    @Test func `a damaged trace throws, and is removed once no trace is kept`() throws {
        let store = MemoryStore()
        let traced = try SyncEngine(store: store, configuration: SyncConfiguration(traceLimit: 10), seed: 1)
        _ = try traced.create(["n": 1], pk: "1", in: "notes")
        try store.transaction { () throws(TidemarkError) in try store.set("trace/0", to: "{\"n\":1}\n") }
        let error = #expect(throws: TidemarkError.self) { try traced.storedTrace() }
        #expect(error?.code == .storeCorrupt)
        let other = try SyncEngine(store: store, configuration: SyncConfiguration(), seed: 2)
        _ = try other.create(["n": 1], pk: "2", in: "notes")
        #expect(try other.storedTrace().entries.isEmpty)
    }
}

extension SyncTrace {
    /// The transitions of records.
    var records: [RecordTrace] {
        self.entries.compactMap { entry in
            guard case .record(let trace) = entry.step else { return nil }
            return trace
        }
    }

    /// The transitions of exchanges.
    var exchanges: [ExchangeTrace] {
        self.entries.compactMap { entry in
            guard case .exchange(let trace) = entry.step else { return nil }
            return trace
        }
    }
}
