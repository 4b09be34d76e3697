import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Names that the server makes (SPEC §12)` {
    private static let byMember = LesserServer.Quirks(makesNames: true, findsByUID: true)
    private static let byServer = LesserServer.Quirks(makesNames: true)

    private func inStep(_ quirks: LesserServer.Quirks) throws -> LesserMeeting {
        let meeting = try LesserMeeting(quirks)
        try meeting.phone.create(["a": 1, "b": 1], pk: "42")
        try meeting.settle()
        return meeting
    }

    /// The one name that the tablet knows.
    private func pk(on device: Device) throws -> String {
        let records = try device.store.records(
            in: Meeting.collection, states: Set(SyncState.allCases), after: nil, limit: 9)
        guard records.count == 1, let record = records.first else { throw Trouble("\(records.count) records") }
        return record.pk
    }

    @Test(arguments: [byMember, byServer])
    func `an edit goes out under the name that an answer gave, or a row`(quirks: LesserServer.Quirks) throws {
        let meeting = try self.inStep(quirks)
        try meeting.phone.edit("42") { $0.a = 2 }
        try meeting.tablet.edit(try self.pk(on: meeting.tablet)) { $0.b = 2 }
        try meeting.settle()
        for device in [meeting.phone, meeting.tablet] {
            let view = try #require(try device.view(try self.pk(on: device)))
            #expect(view.a == 2 && view.b == 2)
            #expect(try device.journal().isEmpty)
        }
        #expect(meeting.server.rows.count == 1)
    }

    @Test(arguments: [byMember, byServer])
    func `a deletion that is told by its name alone is taken in`(quirks: LesserServer.Quirks) throws {
        let meeting = try self.inStep(quirks)
        try meeting.tablet.delete(try self.pk(on: meeting.tablet))
        try meeting.settle()
        #expect(try meeting.phone.phase("42") == .absent)
        #expect(meeting.phone.changes.last?.pk == "42")
    }

    @Test func `the name outlives the process`() throws {
        let meeting = try self.inStep(Self.byMember)
        try meeting.phone.restart()
        try meeting.phone.delete("42")
        try meeting.settle()
        #expect(meeting.server.rows.values.allSatisfy { $0.data == nil })
    }

    @Test func `a member that has the pk is written by us, and is no change`() throws {
        let meeting = try self.inStep(Self.byMember)
        #expect(try meeting.tablet.view("42") == ["a": 1, "b": 1, "uid": "42"])
        try meeting.phone.edit("42") { $0.uid = "x" }
        #expect(try meeting.phone.phase("42") == .synced)
        try meeting.phone.create(["c": 1], pk: "43")
        try meeting.phone.sync(Meeting.collection)
        let upload = try #require(meeting.phone.outbox.first?.request.uploads.first)
        #expect(upload.name == nil)
        #expect(upload.patch?.text == #"[{"op":"add","path":"","value":{"c":1}}]"#)
        #expect(upload.jsonPatch()?.text == #"[{"op":"add","path":"","value":{"c":1,"uid":"43"}}]"#)
    }

    @Test func `R18 a create whose answer was lost is one record, found by its member`() throws {
        let meeting = try LesserMeeting(Self.byMember)
        try meeting.phone.create(["a": 1], pk: "42")
        try meeting.phone.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.phone)
        try meeting.settle()
        #expect(meeting.server.rows.count == 1)
        #expect(try meeting.phone.phase("42") == .synced)
        try meeting.phone.delete("42")
        try meeting.settle()
        #expect(try meeting.tablet.phase("42") == .absent)
    }

    @Test func `a record that is made again over its deletion is made without the former name`() throws {
        let meeting = try self.inStep(Self.byMember)
        try meeting.phone.edit("42") { $0.a = 2 }
        try meeting.tablet.delete("42")
        try meeting.sync(meeting.tablet)
        try meeting.settle()
        #expect(try meeting.tablet.view("42")?.a == 2)
        try meeting.tablet.edit("42") { $0.a = 3 }
        try meeting.settle()
        #expect(try meeting.phone.view("42")?.a == 3)
    }

    @Test func `what the feed showed under a name before the answer named it is the same record`() throws {
        let store = MemoryStore()
        var capabilities = RemoteCapabilities.native
        capabilities.names = .server
        let engine = try SyncEngine(
            store: store, configuration: SyncConfiguration(), capabilities: capabilities, seed: 1)
        _ = try engine.create(["a": 1], pk: "42", in: "notes")
        var sent = try self.sent(try engine.sync("notes", now: .zero))
        let failed = try engine.fail(RemoteFailure(.offline, "lost"), for: sent.token, now: .zero)
        #expect(failed.count > 0)
        // The next try reads first, and is shown what it has made.
        sent = try self.sent(try engine.sync("notes", now: .seconds(400)))
        #expect(sent.request.uploads.isEmpty)
        let page = FeedPage([.init(pk: #""n1""#, stamp: "1", data: #"{"a":1}"#, name: #""n1""#)])
        let answer = ExchangeAnswer(page: page, watermark: "1", epoch: "1", account: "1")
        sent = try self.sent(try engine.receive(answer, for: sent.token, now: .seconds(400)))
        let upload = try #require(sent.request.uploads.first)
        let row = StoredVersion(stamp: "1", data: Array(#"{"a":1}"#.utf8))
        let result = UploadResult(requestID: upload.requestID, outcome: .accepted(row), name: "n1")
        let effects = try engine.receive(
            ExchangeAnswer(results: [result], watermark: "1", epoch: "1", account: "1"), for: sent.token,
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

    @Test func `a name longer than names may be is not taken in`() throws {
        let name = String(repeating: "n", count: 513)
        let page = FeedPage([.init(pk: #""1""#, stamp: "1", data: "{}", name: "\"\(name)\"")])
        let engine = try SyncEngine(store: MemoryStore(), configuration: SyncConfiguration(), seed: 1)
        _ = try engine.create([:], pk: "42", in: "notes")
        let sent = try self.sent(try engine.sync("notes", now: .zero))
        let result = UploadResult(
            requestID: try #require(sent.request.uploads.first).requestID,
            outcome: .accepted(StoredVersion(stamp: "1", data: [123, 125])), name: name)
        let effects = try engine.receive(
            ExchangeAnswer(results: [result], page: page, watermark: "1", epoch: "1", account: "1"), for: sent.token,
            now: .zero)
        guard case .finish(let report) = try #require(effects.last) else { throw Trouble("\(effects)") }
        #expect(report.failure?.failureClass == .protocol)
        #expect(report.failure?.message.contains("513 bytes") == true)
    }
}
