import Synchronization
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// What happens at the edges of a sync: credentials that change while a request is out, limits that change, stores and
/// servers that say half of what they should.
@Suite struct EdgesOfASyncTests {
    @Test func `an answer to the old credentials does not say whose the new ones are`() throws {
        let meeting = try Meeting(devices: ["phone"])
        let phone = meeting.phone
        try phone.create(["n": 1], pk: "42")
        try meeting.settle()
        try phone.sync(Meeting.collection)
        let old = phone.outbox.removeFirst()
        try phone.edit("42") { $0.n = 2 }
        try phone.renew()
        try phone.hear(meeting.remote, old)
        #expect(phone.outbox.map(\.request.uploads.count) == [0], "the next request goes out under the new credentials")
    }

    @Test func `a limit of rounds that was lowered holds the record`() throws {
        var configuration = SyncConfiguration()
        configuration.limits.rounds = 3
        let meeting = try Meeting(devices: ["phone"], configuration: configuration)
        let phone = meeting.phone
        try phone.create(["n": 1], pk: "42")
        try meeting.settle()
        try phone.edit("42") { $0.n = 2 }
        let store = phone.store
        try store.transaction { () throws(TidemarkError) in
            guard var record = try store.record("42", in: Meeting.collection) else { return }
            // As an earlier version of the app left it, whose limit was 5.
            record.rounds = 4
            try store.save(record, in: Meeting.collection)
        }
        try meeting.sync(phone)
        #expect(try phone.phase("42") == .edited(.held))
    }

    @Test func `an upload that the disk has lost is damage, and no request without end`() throws {
        let meeting = try Meeting(devices: ["phone"])
        let phone = meeting.phone
        try phone.create(["n": 1], pk: "42")
        try meeting.settle()
        let store = phone.store
        try store.transaction { () throws(TidemarkError) in
            guard var record = try store.record("42", in: Meeting.collection) else { return }
            record.phase = .edited(.unconfirmed)
            record.upload = nil
            try store.save(record, in: Meeting.collection)
        }
        try meeting.sync(phone)
        #expect(try phone.snapshot("42")?.damage != nil)
    }

    @Test func `the results of a POST count, whatever its feed says`() throws {
        let meeting = try Meeting(devices: ["phone"])
        let phone = meeting.phone
        try phone.create(["n": 1], pk: "1")
        try meeting.settle()
        try phone.create(["n": 1], pk: "42")
        try phone.sync(Meeting.collection)
        let sent = try #require(phone.outbox.first).request
        let edit = try JSON(parsing: sent.frozen[0])
        let id = try #require(edit["request_id"]?.string)
        let epoch = try #require(try store(phone).state(of: Meeting.collection).epoch)
        let account = try #require(try store(phone).setting("account"))
        try phone.answerNext(
            """
            {"results":[{"request_id":"\(id)","pk":"42","is_conflicted":false,\
            "item":{"pk":"42","updated_at":5,"is_active":true,"data":{"n":1}},"error":null}],\
            "items":[],"max_updated_at":"\(sent.watermark ?? "")","more":true,"epoch":"\(epoch)","account":"\(account)"}
            """)
        #expect(try phone.phase("42") == .synced)
    }

    func store(_ device: Device) -> MemoryStore { device.store }

    /// Another account answers the first request.
    final class TwoAccounts: Remote {
        let inner: InProcessRemote
        let state = Mutex((isWrong: false, count: 0))
        init(_ inner: InProcessRemote) { self.inner = inner }
        func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
            let isWrong = self.state.withLock { state in
                state.count += 1
                return state.isWrong
            }
            var answer = try await self.inner.exchange(request)
            if isWrong { answer.account = "someone else" }
            return answer
        }
    }

    @Test func `resuming reaches a collection of which nothing is stored yet`() async throws {
        let server = try InProcessServer()
        let remote = TwoAccounts(InProcessRemote(server))
        let client = try SyncClient(
            store: MemoryStore(), remote: remote, configuration: SyncConfiguration(), time: server.clock, seed: 1)
        try await client["tags"].create(["n": 1], pk: "1")
        _ = try await client.sync(["tags"])
        remote.state.withLock { $0.isWrong = true }
        let wrong = try await client.sync(["notes"])
        #expect(wrong.collections.last?.outcome == .unauthorised)
        remote.state.withLock { $0.isWrong = false }
        try await client.renew(remote: remote)
        let count = remote.state.withLock(\.count)
        let right = try await client.sync(["notes"])
        #expect(right.collections.last?.outcome == .inStep)
        #expect(remote.state.withLock(\.count) > count, "the server was asked")
    }

    @Test func `a journal with a limit keeps what a server has lost until it was sent again`() throws {
        let phone = try Device(
            "phone", seed: 1, clock: InProcessServer().clock,
            configuration: {
                var configuration = SyncConfiguration()
                configuration.journalLimit = 2
                return configuration
            }())
        try phone.sync("notes")
        let items = (1...5).map { #"{"pk":"\#($0)","updated_at":\#($0),"is_active":true,"data":{"n":\#($0)}}"# }
        try phone.answerNext(
            #"{"items":[\#(items.joined(separator: ","))],"max_updated_at":"w5","more":false,"epoch":"e","account":"a"}"#
        )
        try phone.sync("notes")
        try phone.answerNext(
            #"{"items":[],"max_updated_at":"w0","more":false,"epoch":"other","account":"a"}"#)
        try phone.answerNext(
            #"{"items":[],"max_updated_at":"w0","more":false,"epoch":"other","account":"a"}"#)
        let lost = try phone.engine.status(of: "notes").lostByServer
        #expect(lost == 5)
        let restoration = try phone.engine.restoreAll(.serverWentBack, in: "notes").value
        #expect(restoration.restored.count == 5)
    }

    @Test func `what was restored by itself is left alone by restoring all`() throws {
        let phone = try Device("phone", seed: 1, clock: InProcessServer().clock)
        try phone.sync("notes")
        try phone.answerNext(
            #"{"items":[{"pk":"1","updated_at":1,"is_active":true,"data":{"n":1}}],"max_updated_at":"w1","more":false,"epoch":"e","account":"a"}"#
        )
        try phone.sync("notes")
        for _ in 1...2 {
            try phone.answerNext(#"{"items":[],"max_updated_at":"w0","more":false,"epoch":"other","account":"a"}"#)
        }
        let entry = try #require(try phone.journal().first)
        try phone.run { (engine) throws(TidemarkError) in try engine.restore(entry.number, in: "notes") }
        try phone.edit("1") { $0.n = 2 }
        #expect(try phone.engine.status(of: "notes").lostByServer == 0)
        try phone.run { (engine) throws(TidemarkError) in try engine.restoreAll(.serverWentBack, in: "notes").effects }
        #expect(try phone.text("1") == #"{"n":2}"#)
    }

    @Test func `a sync that the store has ended is over for whoever looks at its progress`() async throws {
        let server = try InProcessServer()
        let store = MemoryStore()
        // The sync's own transaction works, and taking in the answer does not.
        store.failNextWrite(after: 6, with: TidemarkError(.storeFull, "The disk is full."))
        let client = try SyncClient(
            store: store, remote: InProcessRemote(server), configuration: SyncConfiguration(), time: server.clock,
            seed: 1)
        try await client["notes"].create(["n": 1], pk: "1")
        var progress = client.progress.makeAsyncIterator()
        await #expect(throws: TidemarkError.self) { _ = try await client.sync(["notes"]) }
        let last = try #require(await progress.next())
        #expect(!last.isSyncing)
    }

    @Test func `records of which the disk lost a part are damage, and no trap`() async throws {
        await #expect(processExitsWith: .success) {
            let meeting = try Meeting(devices: ["phone"])
            let phone = meeting.phone
            try phone.create(["n": 1], pk: "42")
            try meeting.settle()
            let store = phone.store
            try store.transaction { () throws(TidemarkError) in
                guard var record = try store.record("42", in: Meeting.collection) else { return }
                record.confirmed.data = nil
                try store.save(record, in: Meeting.collection)
            }
            #expect(throws: TidemarkError.self) { try phone.edit("42") { $0.n = 2 } }
        }
        await #expect(processExitsWith: .success) {
            let meeting = try Meeting(devices: ["phone"])
            let phone = meeting.phone
            try phone.create(["n": 1], pk: "42")
            try meeting.settle()
            let store = phone.store
            try store.transaction { () throws(TidemarkError) in
                guard var record = try store.record("42", in: Meeting.collection) else { return }
                record.phase = .edited(.uploading)
                try store.save(record, in: Meeting.collection)
            }
            try meeting.sync(phone)
        }
    }

    @Test func `one damaged record hides neither the conflicts nor the preview of the others`() throws {
        let meeting = try Meeting(devices: ["phone"])
        let phone = meeting.phone
        for pk in ["42", "7"] { try phone.create(["n": 1], pk: pk) }
        let store = phone.store
        try store.transaction { () throws(TidemarkError) in
            guard var record = try store.record("42", in: Meeting.collection) else { return }
            record.editedData = Array("[{".utf8)
            try store.save(record, in: Meeting.collection)
        }
        #expect(try phone.engine.preview(of: Meeting.collection).map(\.pk) == ["7"])
    }
}
