import Foundation
import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite(.timeLimit(.minutes(10))) struct `Clients that use one store in turns` {
    let folder: TemporaryFolder
    let server: InProcessServer

    init() throws {
        self.folder = try TemporaryFolder()
        self.server = try InProcessServer()
    }

    var path: String { self.folder.path("a.db") }

    func client(
        takesTurns: Bool = true, waiting limit: Duration = .seconds(3_600)
    ) async throws -> SyncClient {
        try await self.client(takesTurns: takesTurns, over: InProcessRemote(self.server), waiting: limit)
    }

    func client(
        takesTurns: Bool = true, over remote: some Remote, _ rules: SyncConfiguration = SyncConfiguration(),
        batchSize: Int = 100,
        waiting limit: Duration = .seconds(3_600)
    ) async throws -> SyncClient {
        let path = self.path
        var configuration = rules
        configuration.limits.batchSize = batchSize
        let (clock, settings) = (self.server.clock, configuration)
        let opening = Task {
            try await SyncClient.open(
                store: try SQLiteStore(path: path, takesTurns: takesTurns), remote: remote, configuration: settings,
                time: clock, seed: 1, waiting: limit)
        }
        // The pauses between two tries are of this clock.
        let moving = Task {
            while !Task.isCancelled {
                clock.advance(by: .milliseconds(5))
                await Task.yield()
            }
        }
        defer { moving.cancel() }
        return try await opening.value
    }

    // MARK: Suspending

    @Test func `a suspended client has no file open and holds no lock, and its log stays`() async throws {
        let client = try await self.client()
        try await client["notes"].create(["n": 1], pk: "42")
        #expect(!SystemLocks.ofThisProcess(on: self.path).isEmpty, "the scan finds the locks of an open store")
        try await client.suspend()
        #expect(SystemLocks.ofThisProcess(on: self.path).isEmpty)
        // The pipe is closed on another thread, and has no lock.
        await eventually("no file is open") { SystemLocks.openFiles(below: self.folder.url.path).isEmpty }
        #expect(self.folder.exists("a.db-wal"), "nothing was written into the file")
        try await client.wake()
        #expect(try await client["notes"]["42"].get() == ["n": 1])
    }

    @Test func `half-way through a statement: suspend() fails, and succeeds after its end`() async throws {
        let store = try SQLiteStore(path: self.path)
        try store.transaction { () throws(TidemarkError) in
            for number in 0..<10 { try store.set("\(number)", to: "x") }
        }
        var statement: DatabaseStatement? = try store.database.statement("SELECT key FROM setting")
        #expect(try statement?.step() == true)
        #expect(throws: TidemarkError.self) { _ = try store.suspend() }
        #expect(try store.setting("3") == "x", "the store stays open")
        statement = nil
        let open = try store.suspend()
        #expect(SystemLocks.ofThisProcess(on: self.path).isEmpty)
        let again = try open()
        #expect(try again.setting("3") == "x")
        again.close()
    }

    @Test func `each call of a suspended client throws suspended`() async throws {
        let client = try await self.client()
        try await client["notes"].create(["n": 1], pk: "42")
        try await client.suspend()
        try await client.suspend()
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await client["notes"]["42"].get() },
            { try await client["notes"].create(["n": 2], pk: "43") },
            { _ = try await client.sync() },
            { _ = try await client.status },
            { _ = try await client.unsent },
            { try await client.erase(evenUnsent: true) },
            { try await client.run(connectivity: AsyncStream<Bool> { $0.finish() }) },
        ]
        for call in calls {
            let error = await #expect(throws: TidemarkError.self) { try await call() }
            #expect(error?.code == .suspended)
        }
        try await client.wake()
        try await client.wake()
        #expect(try await client.sync().collections.map(\.outcome) == [.inSync])
    }

    @Test func `a suspended client can be closed, and a closed one neither suspends nor wakes`() async throws {
        let client = try await self.client()
        try await client.suspend()
        await client.close()
        #expect(await client.isClosed)
        try await client.suspend()
        let error = await #expect(throws: TidemarkError.self) { try await client.wake() }
        #expect(error?.code == .clientClosed)
        let next = try await self.client(takesTurns: false)
        await next.close()
    }

    @Test func `a list continues after wake(), and shows what another client has changed`() async throws {
        let client = try await self.client()
        try await client["notes"].create(["n": 1], pk: "1")
        var lists = client["notes"].observe().makeAsyncIterator()
        #expect(try await lists.next()?.records.map(\.pk) == ["1"])
        var statuses = client.statuses.makeAsyncIterator()
        #expect(try await statuses.next()?.collections.first?.counts[.created] == 1)
        try await client.suspend()
        let widget = try await self.client()
        try await widget["notes"].create(["n": 2], pk: "2")
        await widget.close()
        try await client.wake()
        let list = try await lists.next()
        #expect(list?.records.map(\.pk) == ["1", "2"])
        #expect(list?.difference.inserted == [1], "the list says what moved")
        #expect(try await statuses.next()?.collections.first?.counts[.created] == 2)
    }

    @Test func `a list that reads while the client is suspended waits for it`() async throws {
        let client = try await self.client()
        try await client["notes"].create(["n": 1], pk: "1")
        try await client.suspend()
        let first = Task { try await client["notes"].observe().first { _ in true } }
        await eventually("the list watches") { await client.watcherCount == 1 }
        try await client.wake()
        #expect(try await first.value?.records.map(\.pk) == ["1"])
    }

    @Test func `a request under way ends at suspend(), and is sent again after wake(), in the same bytes`() async throws
    {
        let network = PausedNetwork(InProcessRemote(self.server))
        let client = try await self.client(over: network)
        try await client["notes"].create(["n": 1], pk: "42")
        let sync = Task { try await client.sync() }
        let lost = try await network.next()
        await lost.dropAnswer()
        try await client.suspend()
        let error = await #expect(throws: TidemarkError.self) { _ = try await sync.value }
        #expect(error?.code == .suspended)
        try await client.wake()
        #expect(try await client["notes"]["42"].snapshot()?.phase == .created(.unconfirmed))
        let second = Task { try await client.sync() }
        let again = try await network.next()
        #expect(again.request.uploads.map(\.requestID) == lost.request.uploads.map(\.requestID))
        #expect(again.request.uploads.map(\.encodedEdit) == lost.request.uploads.map(\.encodedEdit))
        await again.deliver()
        let rest = Task { await network.deliverAll() }
        #expect(try await second.value.collections.first?.outcome == .inSync)
        #expect(try await client["notes"]["42"].snapshot()?.phase == .synced)
        rest.cancel()
    }

    @Test func `run() continues after wake(), and sends what another client has written`() async throws {
        let client = try await self.client()
        try await client["notes"].create(["n": 1], pk: "1")
        let run = Task { try await client.run(connectivity: AsyncStream<Bool> { _ in }) }
        defer { run.cancel() }
        try await eventually("the loop runs") { try await client.status.run != nil }
        try await client.suspend()
        let widget = try await self.client()
        try await widget["tasks"].create(["n": 2], pk: "2")
        await widget.close()
        try await client.wake()
        try await eventually("the edit of the widget is sent") {
            self.server.clock.advance(by: .seconds(1))
            return try await client["tasks"]["2"].snapshot()?.phase == .synced
        }
        run.cancel()
        try await run.value
    }

    @Test func `the wait for an outcome ends at suspend()`() async throws {
        let client = try await self.client()
        try await client["notes"].create(["n": 1], pk: "42")
        let outcome = Task { try await client["notes"]["42"].outcome() }
        await eventually("it waits") { await client.openWriteCount == 1 }
        try await client.suspend()
        let error = await #expect(throws: TidemarkError.self) { _ = try await outcome.value }
        #expect(error?.code == .suspended)
    }

    // MARK: Another file

    @Test func `a store that was erased meanwhile closes the client`() async throws {
        let client = try await self.client()
        try await client["notes"].create(["n": 1], pk: "42")
        try await client.suspend()
        let other = try await self.client()
        try await other.erase(evenUnsent: true)
        let error = await #expect(throws: TidemarkError.self) { try await client.wake() }
        #expect(error?.code == .clientClosed)
        #expect(error?.message.contains("erased") == true)
        #expect(await client.isClosed)
    }

    @Test func `a file that was removed or replaced meanwhile is an error, and nothing is written to it`() async throws
    {
        let client = try await self.client()
        try await client["notes"].create(["n": 1], pk: "42")
        try await client.suspend()
        try FileManager.default.moveItem(atPath: self.path, toPath: self.folder.path("b.db"))
        try FileManager.default.moveItem(atPath: "\(self.path)-wal", toPath: self.folder.path("b.db-wal"))
        var error = await #expect(throws: TidemarkError.self) { try await client.wake() }
        #expect(error?.code == .storeUnavailable)
        #expect(!self.folder.exists("a.db"))
        let other = try await self.client()
        await other.close()
        error = await #expect(throws: TidemarkError.self) { try await client.wake() }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.message.contains("replaced") == true)
        for end in ["", "-turn", "-holder"] { try FileManager.default.removeItem(atPath: self.path + end) }
        try FileManager.default.moveItem(atPath: self.folder.path("b.db"), toPath: self.path)
        try FileManager.default.moveItem(atPath: self.folder.path("b.db-wal"), toPath: "\(self.path)-wal")
        try await client.wake()
        #expect(try await client["notes"]["42"].get() == ["n": 1])
    }

    @Test func `a file that was removed or replaced before suspend() is an error of it, and the client can still read`()
        async throws
    {
        let client = try await self.client()
        try await client["notes"].create(["n": 1], pk: "42")
        try FileManager.default.moveItem(atPath: self.path, toPath: self.folder.path("b.db"))
        for _ in 0..<2 {
            let error = await #expect(throws: TidemarkError.self) { try await client.suspend() }
            #expect(error?.code == .storeUnavailable)
            #expect(try await client["notes"]["42"].get() == ["n": 1])
            try self.folder.write("another file", to: "a.db")
        }
        try FileManager.default.removeItem(atPath: self.path)
        await client.close()
    }

    @Test func `a file with the name of the holder's line is not overwritten`() async throws {
        try self.folder.write("another file", to: "a.db-holder")
        let path = self.path
        let error = #expect(throws: TidemarkError.self) { _ = try SQLiteStore(path: path, takesTurns: true) }
        #expect(error?.code == .storeUnavailable)
        #expect(try self.folder.read("a.db-holder") == Array("another file".utf8))
    }

    @Test func `pages are read further after wake()`() async throws {
        let client = try await self.client()
        for number in 0..<5 { try await client["notes"].create(["n": .number(.init(number))], pk: "\(number)") }
        var pages = client["notes"].pages(of: 2).makeAsyncIterator()
        #expect(try await pages.next()?.records.count == 2)
        try await client.suspend()
        let next = Task { try await client["notes"].pages(of: 2).first { _ in true }?.records.count }
        try await client.wake()
        #expect(try await next.value == 2)
        #expect(try await pages.next()?.records.map(\.pk) == ["2", "3"])
    }

    @Test func `an undo after wake() takes an addition back, unless another client wrote meanwhile`() async throws {
        var rules = SyncConfiguration()
        rules["notes"].fields = try FieldRules([("/sum", .sum)])
        let client = try await self.client(over: InProcessRemote(self.server), rules)
        try await client["notes"].create(["sum": 1], pk: "42")
        for isWritten in [false, true] {
            try await client["notes"]["42"].edit { $0["sum"] = 1 }
            let edit = try await client["notes"]["42"].edit { $0["sum"] = 5 }
            try await client["notes"]["42"].edit { $0["sum"] = 7 }
            // A write of the last moment could have the same time as another one.
            blockUntil("the file is old") { !(DatabaseFileMark(path: "\(self.path)-wal")?.wasJustWritten ?? false) }
            try await client.suspend()
            if isWritten {
                let widget = try await self.client()
                try await widget["notes"].create(["n": 1], pk: "1")
                await widget.close()
            }
            try await client.wake()
            _ = try? await client["notes"]["42"].undo(edit)
            #expect(try await client["notes"]["42"].get() == ["sum": isWritten ? 7 : 3])
        }
    }

    @Test func `the wait for an outcome ends as unknown if another client has sent the change`() async throws {
        let app = try await self.client()
        try await app["notes"].create(["n": 1], pk: "42")
        let outcome = Task { try await app["notes"]["42"].outcome() }
        await eventually("it waits") { await app.openWriteCount == 1 }
        let other = try await self.client()
        _ = try await other.sync()
        try await other["notes"]["42"].edit { $0["n"] = 2 }
        await other.close()
        let error = await #expect(throws: TidemarkError.self) { _ = try await outcome.value }
        #expect(error?.code == .suspended)
    }

    @Test func `a sync that is cancelled while the store is asked for leaves no caller behind`() async throws {
        let network = PausedNetwork(InProcessRemote(self.server))
        let app = try await self.client(over: network)
        for name in ["a", "b"] { try await app[name].create(["n": 1], pk: "1") }
        let first = Task { try await app.sync(["a"]) }
        let request = try await network.next()
        let opened = Task { try await self.client() }
        await eventually("the widget asks") { await app.turnPhase == .asked }
        let second = Task { try await app.sync(["b"]) }
        await eventually("it is under way") { await app.led.count == 2 }
        let joined = Task { try await app.sync(["b"]) }
        await eventually("the third one waits") { await app.isJoined(in: "b") }
        second.cancel()
        await #expect(throws: TidemarkError.self) { _ = try await second.value }
        await request.deliver()
        await (try opened.value).close()
        let rest = Task { await network.deliverAll() }
        #expect(try await first.value.collections.first?.outcome == .inSync)
        #expect(try await joined.value.collections.first?.outcome == .inSync)
        rest.cancel()
    }

    @Test func `a store that a newer version has migrated meanwhile is an error`() async throws {
        let client = try await self.client()
        try await client.suspend()
        let database = try DatabaseConnection(.file(self.path), sharing: .none)
        try database.execute("PRAGMA user_version = 99")
        database.close()
        let error = await #expect(throws: TidemarkError.self) { try await client.wake() }
        #expect(error?.code == .storeNewer)
    }

    @Test func `a folder in which no pipe can be made is an error that says so`() async throws {
        try self.folder.write("another file", to: "a.db-turn")
        let path = self.path
        let error = #expect(throws: TidemarkError.self) { _ = try SQLiteStore(path: path, takesTurns: true) }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.message.contains("a.db-turn") == true)
        let store = try SQLiteStore(path: path)
        store.close()
    }
}
