import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `A trace that a store keeps` {
    /// Two devices that clash, and an answer that is lost.
    private func meeting(limit: Int?) throws -> Meeting {
        let meeting = try Meeting(configuration: SyncConfiguration(traceLimit: limit))
        try meeting.phone.create(["title": "Milk"], pk: "secret name")
        try meeting.settle()
        try meeting.phone.edit("secret name") { $0.title = "Oat milk" }
        try meeting.tablet.edit("secret name") { $0.title = "Rice milk" }
        try meeting.sync(meeting.phone)
        try meeting.tablet.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.tablet)
        try meeting.settle()
        return meeting
    }

    @Test func `has what both machines did, and replays`() throws {
        let meeting = try self.meeting(limit: 1_000)
        let trace = try meeting.tablet.engine.storedTrace()
        #expect(trace.differences() == [])
        #expect(trace.entries.map(\.number) == Array(1...Int64(trace.entries.count)))
        #expect(trace.entries.first?.step == .opened(collection: Meeting.collection))
        #expect(trace.records == meeting.tablet.traces)
        let failed = trace.exchanges.filter { $0.event == .failed }
        #expect(failed.map(\.failure) == [.offline])
        #expect(failed.map(\.source) == [.posting])
        #expect(failed.first?.time != nil)
        #expect(try SyncTrace(parsing: trace.text) == trace)
    }

    @Test func `has no contents, and no names where these are taken out`() throws {
        let trace = try self.meeting(limit: 1_000).phone.engine.storedTrace()
        #expect(!trace.text.contains("milk"))
        #expect(trace.text.contains("\"pk\":\"secret name\""))
        #expect(!trace.withoutNames().text.contains("secret"))
        #expect(trace.withoutNames().text.contains("\"pk\":\"#1\""))
        #expect(trace.withoutNames().differences() == [])
    }

    @Test func `is kept only where the configuration says so, and removed where it does not any more`() throws {
        #expect(try self.meeting(limit: nil).phone.engine.storedTrace().entries.isEmpty)
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
    func `has the last transitions, and a bounded number of them`(limit: Int) throws {
        let meeting = try Meeting(devices: ["phone"], configuration: SyncConfiguration(traceLimit: limit))
        try meeting.phone.create(["n": 0], pk: "42")
        for number in 1...150 {
            let value = JSON.number(JSONNumber(number))
            try meeting.phone.edit("42") { $0.n = value }
            if number.isMultiple(of: 40) { try meeting.phone.restart() }
        }
        let trace = try meeting.phone.engine.storedTrace()
        #expect((limit...limit + 64).contains(trace.entries.count), "\(trace.entries.count)")
        let last = try #require(trace.entries.last?.number)
        // One that is made, 150 edits, and four processes that took the collection up.
        #expect(last >= 155)
        #expect(trace.entries.map(\.number) == Array(last - Int64(trace.entries.count) + 1...last))
        #expect(trace.differences() == [])
    }

    @Test func `of an input with more transitions than are kept has the last ones, and nothing before`() throws {
        let meeting = try Meeting(devices: ["phone"], configuration: SyncConfiguration(traceLimit: 50))
        try meeting.phone.create(["n": 0], pk: "42")
        try meeting.phone.run { (engine) throws(TidemarkError) in
            try engine.upsert((0..<1_000).map { NamedContent(pk: "\($0)", content: ["n": 1]) }, in: Meeting.collection)
                .effects
        }
        try meeting.phone.edit("999") { $0.n = 2 }
        let trace = try meeting.phone.engine.storedTrace()
        #expect(trace.entries.count == 51)
        #expect(trace.records.map(\.pk) == (950..<1_000).map { "\($0)" } + ["999"])
        #expect(trace.differences() == [])
    }

    @Test func `says nothing of an input that the store did not take, and that the store failed`() throws {
        let meeting = try Meeting(devices: ["phone"], configuration: SyncConfiguration(traceLimit: 100))
        try meeting.phone.create(["n": 0], pk: "42")
        let before = try meeting.phone.engine.storedTrace()
        let full = TidemarkError(.storeFull, "The disk is full.")
        meeting.phone.store.failNextWrite(after: 1, with: full)
        #expect(throws: TidemarkError.self) { try meeting.phone.edit("42") { $0.n = 1 } }
        #expect(try meeting.phone.engine.storedTrace() == before)
        try meeting.phone.sync(Meeting.collection)
        meeting.phone.store.failNextWrite(after: 1, with: full)
        #expect(throws: TidemarkError.self) { try meeting.carryOne(meeting.phone) }
        try meeting.settle()
        let trace = try meeting.phone.engine.storedTrace()
        #expect(trace.exchanges.map(\.event).contains(.storeFailed))
        #expect(trace.differences() == [])
    }

    @Test func `says when a collection left the store`() throws {
        let meeting = try self.meeting(limit: 1_000)
        try meeting.phone.engine.forget(Meeting.collection)
        try meeting.sync(meeting.phone)
        let trace = try meeting.phone.engine.storedTrace()
        #expect(trace.entries.contains { $0.step == .forgotten(collection: Meeting.collection) })
        #expect(trace.differences() == [])
    }

    @Test func `that was damaged is told, and goes where none is kept`() throws {
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
    /// What happened to records.
    var records: [RecordTrace] {
        self.entries.compactMap { entry in
            guard case .record(let trace) = entry.step else { return nil }
            return trace
        }
    }

    /// What happened to exchanges.
    var exchanges: [ExchangeTrace] {
        self.entries.compactMap { entry in
            guard case .exchange(let trace) = entry.step else { return nil }
            return trace
        }
    }
}
