import CoreSupport
import Synchronization
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Edge cases of a sync: credentials that change during a request, limits that change, stores and servers with
/// incomplete data.
@Suite struct EdgesOfASyncTests {
    private struct OneMoreSecondEachTime: RetryPolicy {
        func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration { .seconds(attempt) }
    }

    @Test func `a GET does not end the back-off of an earlier process's POST (Contract §3.1)`() throws {
        let scenario = try SyncScenario(
            devices: ["phone"], configuration: SyncConfiguration(retry: OneMoreSecondEachTime()))
        let phone = scenario.phone
        try phone.create(["n": 1], pk: "42")
        let store = phone.store
        try store.transaction { () throws(TidemarkError) in
            var state = try store.state(of: SyncScenario.collection)
            state.exchangeMemory = #"""
                {"attempts":4,"failedPosts":1,"readsFirst":true,"postFailure":{"class":"busy","message":"It is busy"}}
                """#
            try store.save(state, of: SyncScenario.collection)
        }
        try phone.restart()
        try phone.sync(SyncScenario.collection)
        #expect(phone.outbox.map(\.request.uploads.count) == [0])
        try scenario.carryOne(phone)
        #expect(phone.outbox.map(\.request.uploads.count) == [1])
        try phone.failNext(RemoteFailure(.busy, "It is busy"))
        let nextTry = try #require(phone.reports.last?.nextTry)
        #expect(nextTry - scenario.server.clock.now == .seconds(5))
    }

    @Test func `an answer to the old credentials does not identify the new ones`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        let phone = scenario.phone
        try phone.create(["n": 1], pk: "42")
        try scenario.settle()
        try phone.sync(SyncScenario.collection)
        let old = phone.outbox.removeFirst()
        try phone.edit("42") { $0.n = 2 }
        try phone.renew()
        try phone.hear(scenario.remote, old)
        #expect(phone.outbox.map(\.request.uploads.count) == [0], "the next request goes out under the new credentials")
    }

    @Test func `a record over a lowered limit of rounds is held`() throws {
        var configuration = SyncConfiguration()
        configuration.limits.rounds = 3
        let scenario = try SyncScenario(devices: ["phone"], configuration: configuration)
        let phone = scenario.phone
        try phone.create(["n": 1], pk: "42")
        try scenario.settle()
        try phone.edit("42") { $0.n = 2 }
        let store = phone.store
        try store.transaction { () throws(TidemarkError) in
            guard var record = try store.record("42", in: SyncScenario.collection) else { return }
            // As stored by an earlier version of the app, whose limit was 5.
            record.rounds = 4
            try store.save(record, in: SyncScenario.collection)
        }
        try scenario.sync(phone)
        #expect(try phone.phase("42") == .edited(.held))
    }

    @Test func `an upload that the disk lost is damage, and causes no endless requests`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        let phone = scenario.phone
        try phone.create(["n": 1], pk: "42")
        try scenario.settle()
        let store = phone.store
        try store.transaction { () throws(TidemarkError) in
            guard var record = try store.record("42", in: SyncScenario.collection) else { return }
            record.phase = .edited(.unconfirmed)
            record.upload = nil
            try store.save(record, in: SyncScenario.collection)
        }
        try scenario.sync(phone)
        #expect(try phone.snapshot("42")?.damage != nil)
    }

    @Test func `the results of a POST are applied even if its feed stalls`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        let phone = scenario.phone
        try phone.create(["n": 1], pk: "1")
        try scenario.settle()
        try phone.create(["n": 1], pk: "42")
        try phone.sync(SyncScenario.collection)
        let sent = try #require(phone.outbox.first).request
        let edit = try JSON(parsing: sent.encodedEdit[0])
        let id = try #require(edit["request_id"]?.string)
        let epoch = try #require(try store(phone).state(of: SyncScenario.collection).epoch)
        let account = try #require(try store(phone).setting("account"))
        try phone.answerNext(
            """
            {"results":[{"request_id":"\(id)","pk":"42","is_conflicted":false,\
            "item":{"pk":"42","updated_at":5,"is_active":true,"data":{"n":1}},"error":null}],\
            "items":[],"max_updated_at":"\(sent.cursor ?? "")","more":true,"epoch":"\(epoch)","account":"\(account)"}
            """)
        #expect(try phone.phase("42") == .synced)
    }

    func store(_ device: Device) -> MemoryStore { device.store }

    /// A remote that can answer as another account.
    final class TwoAccounts: Remote {
        let capabilities = RemoteCapabilities.native

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

    @Test func `renew resumes a collection of which nothing is stored yet`() async throws {
        let server = try InProcessServer()
        let remote = TwoAccounts(InProcessRemote(server))
        let client = try SyncClient(
            store: MemoryStore(), remote: remote, configuration: SyncConfiguration(), time: server.clock, seed: 1)
        try await client["tags"].create(["n": 1], pk: "1")
        _ = try await client.sync(["tags"])
        remote.state.withLock { $0.isWrong = true }
        let wrong = try await client.sync(["notes"])
        #expect(wrong.collections.last?.outcome == .unauthorized)
        remote.state.withLock { $0.isWrong = false }
        try await client.renew(remote: remote)
        let count = remote.state.withLock(\.count)
        let right = try await client.sync(["notes"])
        #expect(right.collections.last?.outcome == .inSync)
        #expect(remote.state.withLock(\.count) > count, "the server was asked")
    }

    @Test func `a limited journal keeps all values that the server lost until they are restored`() throws {
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
        let restoration = try phone.engine.restoreAll(.serverRolledBack, in: "notes").value
        #expect(restoration.restored.count == 5)
    }

    @Test func `restoring all skips a value that was restored before`() throws {
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
        try phone.run { (engine) throws(TidemarkError) in try engine.restoreAll(.serverRolledBack, in: "notes").effects
        }
        #expect(try phone.text("1") == #"{"n":2}"#)
    }

    @Test func `a sync that a store failure ended is over in its progress`() async throws {
        let server = try InProcessServer()
        let store = MemoryStore()
        // The sync's own transaction succeeds, and the transaction of the answer fails.
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

    @Test func `a record of which the disk lost a part is damage, and no trap`() async throws {
        await #expect(processExitsWith: .success) {
            let scenario = try SyncScenario(devices: ["phone"])
            let phone = scenario.phone
            try phone.create(["n": 1], pk: "42")
            try scenario.settle()
            let store = phone.store
            try store.transaction { () throws(TidemarkError) in
                guard var record = try store.record("42", in: SyncScenario.collection) else { return }
                record.confirmed.data = nil
                try store.save(record, in: SyncScenario.collection)
            }
            #expect(throws: TidemarkError.self) { try phone.edit("42") { $0.n = 2 } }
        }
        await #expect(processExitsWith: .success) {
            let scenario = try SyncScenario(devices: ["phone"])
            let phone = scenario.phone
            try phone.create(["n": 1], pk: "42")
            try scenario.settle()
            let store = phone.store
            try store.transaction { () throws(TidemarkError) in
                guard var record = try store.record("42", in: SyncScenario.collection) else { return }
                record.phase = .edited(.uploading)
                try store.save(record, in: SyncScenario.collection)
            }
            try scenario.sync(phone)
        }
    }

    @Test func `one damaged record does not hide the others in the preview`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        let phone = scenario.phone
        for pk in ["42", "7"] { try phone.create(["n": 1], pk: pk) }
        let store = phone.store
        try store.transaction { () throws(TidemarkError) in
            guard var record = try store.record("42", in: SyncScenario.collection) else { return }
            record.editedData = Array("[{".utf8)
            try store.save(record, in: SyncScenario.collection)
        }
        #expect(try phone.engine.preview(of: SyncScenario.collection).map(\.pk) == ["7"])
    }
}
