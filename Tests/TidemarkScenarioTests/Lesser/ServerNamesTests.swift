import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Names that the server assigns (Contract §12)` {
    private static let byMember = LesserServer.Quirks(makesNames: true, findsByUID: true)
    private static let byServer = LesserServer.Quirks(makesNames: true)

    private func inSync(_ quirks: LesserServer.Quirks) throws -> LesserScenario {
        let scenario = try LesserScenario(quirks)
        try scenario.phone.create(["a": 1, "b": 1], pk: "42")
        try scenario.settle()
        return scenario
    }

    /// The pk of the only record of a device.
    private func pk(on device: Device) throws -> String {
        let records = try device.store.records(
            in: SyncScenario.collection, states: Set(SyncState.allCases), after: nil, limit: 9)
        guard records.count == 1, let record = records.first else { throw Trouble("\(records.count) records") }
        return record.pk
    }

    @Test(arguments: [byMember, byServer])
    func `an edit is sent with the name from an answer or a row`(quirks: LesserServer.Quirks) throws {
        let scenario = try self.inSync(quirks)
        try scenario.phone.edit("42") { $0.a = 2 }
        try scenario.tablet.edit(try self.pk(on: scenario.tablet)) { $0.b = 2 }
        try scenario.settle()
        for device in [scenario.phone, scenario.tablet] {
            let view = try #require(try device.view(try self.pk(on: device)))
            #expect(view.a == 2 && view.b == 2)
            #expect(try device.journal().isEmpty)
        }
        #expect(scenario.server.rows.count == 1)
    }

    @Test(arguments: [byMember, byServer])
    func `a deletion row that has only the name is applied`(quirks: LesserServer.Quirks) throws {
        let scenario = try self.inSync(quirks)
        try scenario.tablet.delete(try self.pk(on: scenario.tablet))
        try scenario.settle()
        #expect(try scenario.phone.phase("42") == .absent)
        #expect(scenario.phone.changes.last?.pk == "42")
    }

    @Test func `a server name is kept over a restart`() throws {
        let scenario = try self.inSync(Self.byMember)
        try scenario.phone.restart()
        try scenario.phone.delete("42")
        try scenario.settle()
        #expect(scenario.server.rows.values.allSatisfy { $0.data == nil })
    }

    @Test func `the client writes the pk member, and an app's edit of it changes nothing`() throws {
        let scenario = try self.inSync(Self.byMember)
        #expect(try scenario.tablet.view("42") == ["a": 1, "b": 1, "uid": "42"])
        try scenario.phone.edit("42") { $0.uid = "x" }
        #expect(try scenario.phone.phase("42") == .synced)
        try scenario.phone.create(["c": 1], pk: "43")
        try scenario.phone.sync(SyncScenario.collection)
        let upload = try #require(scenario.phone.outbox.first?.request.uploads.first)
        #expect(upload.name == nil)
        #expect(upload.patch?.text == #"[{"op":"add","path":"","value":{"c":1}}]"#)
        #expect(upload.jsonPatch()?.text == #"[{"op":"add","path":"","value":{"c":1,"uid":"43"}}]"#)
    }

    @Test func `a create whose answer was lost is one record, found by its pk member (R18)`() throws {
        let scenario = try LesserScenario(Self.byMember)
        try scenario.phone.create(["a": 1], pk: "42")
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        try scenario.settle()
        #expect(scenario.server.rows.count == 1)
        #expect(try scenario.phone.phase("42") == .synced)
        try scenario.phone.delete("42")
        try scenario.settle()
        #expect(try scenario.tablet.phase("42") == .absent)
    }

    @Test func `a record that is made again after its deletion does not use its former name`() throws {
        let scenario = try self.inSync(Self.byMember)
        try scenario.phone.edit("42") { $0.a = 2 }
        try scenario.tablet.delete("42")
        try scenario.sync(scenario.tablet)
        try scenario.settle()
        #expect(try scenario.tablet.view("42")?.a == 2)
        try scenario.tablet.edit("42") { $0.a = 3 }
        try scenario.settle()
        #expect(try scenario.phone.view("42")?.a == 3)
    }

    @Test func `a row that the feed showed before the answer named it is the same record`() throws {
        let store = MemoryStore()
        var capabilities = RemoteCapabilities.native
        capabilities.names = .server
        let engine = try SyncEngine(
            store: store, configuration: SyncConfiguration(), capabilities: capabilities, seed: 1)
        _ = try engine.create(["a": 1], pk: "42", in: "notes")
        var sent = try self.sent(try engine.sync("notes", now: .zero))
        let failed = try engine.fail(RemoteFailure(.offline, "lost"), for: sent.token, now: .zero)
        #expect(failed.count > 0)
        // The next try reads first, and the feed shows the record that was created.
        sent = try self.sent(try engine.sync("notes", now: .seconds(400)))
        #expect(sent.request.uploads.isEmpty)
        let page = FeedPage([.init(pk: #""n1""#, version: "1", data: #"{"a":1}"#, name: #""n1""#)])
        let answer = ExchangeAnswer(page: page, cursor: "1", epoch: "1", account: "1")
        sent = try self.sent(try engine.receive(answer, for: sent.token, now: .seconds(400)))
        let upload = try #require(sent.request.uploads.first)
        let row = StoredVersion(version: "1", data: Array(#"{"a":1}"#.utf8))
        let result = UploadResult(requestID: upload.requestID, outcome: .accepted(row), name: "n1")
        let effects = try engine.receive(
            ExchangeAnswer(results: [result], cursor: "1", epoch: "1", account: "1"), for: sent.token,
            now: .seconds(400))
        #expect(try store.record("n1", in: "notes") == nil)
        #expect(try store.record(named: "n1", in: "notes")?.pk == "42")
        let told = effects.compactMap { effect in
            if case .tell(let change) = effect { change.pk } else { nil }
        }
        #expect(Set(told) == ["n1", "42"])
    }

    private func sent(_ effects: [SyncEffect]) throws -> (request: ExchangeRequest, token: ExchangeToken) {
        for effect in effects {
            if case .send(let request, let token) = effect { return (request, token) }
        }
        throw Trouble("nothing was sent")
    }

    @Test func `a server name over the length limit is refused`() throws {
        let name = String(repeating: "n", count: 513)
        let page = FeedPage([.init(pk: #""1""#, version: "1", data: "{}", name: "\"\(name)\"")])
        let engine = try SyncEngine(store: MemoryStore(), configuration: SyncConfiguration(), seed: 1)
        _ = try engine.create([:], pk: "42", in: "notes")
        let sent = try self.sent(try engine.sync("notes", now: .zero))
        let result = UploadResult(
            requestID: try #require(sent.request.uploads.first).requestID,
            outcome: .accepted(StoredVersion(version: "1", data: [123, 125])), name: name)
        let effects = try engine.receive(
            ExchangeAnswer(results: [result], page: page, cursor: "1", epoch: "1", account: "1"), for: sent.token,
            now: .zero)
        guard case .finish(let report) = try #require(effects.last) else { throw Trouble("\(effects)") }
        #expect(report.failure?.failureClass == .invalidAnswer)
        #expect(report.failure?.message.contains("513 bytes") == true)
    }
}
