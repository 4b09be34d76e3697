import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing
import TidemarkDatabase
import TidemarkJSON

@testable import TidemarkServer

@Suite("Reading while the writer writes")
struct ReaderTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        self.folder = try TemporaryFolder()
        self.path = self.folder.path("server.db")
    }

    /// A storage with two rows in a feed.
    private func storage() throws -> (storage: SQLiteServerStorage, feed: ServerFeed) {
        let storage = try SQLiteServerStorage(.file(self.path))
        let feed = try storage.transaction { () throws(ServerStorageError) in
            let feed = try storage.openFeed(account: "open", collection: "notes")
            try storage.save(ServerRow(pk: "1", updatedAt: 1, data: Array("{}".utf8)), in: feed)
            try storage.save(ServerRow(pk: "2", updatedAt: 2, data: Array("{}".utf8)), in: feed)
            return feed
        }
        return (storage, feed)
    }

    private static func pks(_ reader: any ServerReader, _ feed: ServerFeed) throws(ServerStorageError) -> [String] {
        var pks: [String] = []
        try reader.rows(in: feed, after: 0) { pk, _, _ in
            pks.append(String(decoding: pk.indices.map { pk[$0] }, as: UTF8.self))
            return true
        }
        return pks
    }

    @Test func `a reader sees the state at its beginning, and waits for no transaction (W3)`() throws {
        let (storage, feed) = try self.storage()
        let reader = try #require(try storage.openReader())
        let last = { () throws(ServerStorageError) in
            try reader.feed(account: "open", collection: "notes")?.last
        }
        try storage.transaction { () throws(ServerStorageError) in
            try storage.save(ServerRow(pk: "3", updatedAt: 3, data: Array("{}".utf8)), in: feed)
            try reader.snapshot { () throws(ServerStorageError) in
                #expect(try last() == 2)
                #expect(try Self.pks(reader, feed) == ["1", "2"])
            }
        }
        try reader.snapshot { () throws(ServerStorageError) in
            #expect(try last() == 3)
            try storage.transaction { () throws(ServerStorageError) in
                try storage.save(ServerRow(pk: "1", updatedAt: 4, data: nil), in: feed)
            }
            #expect(try last() == 3, "the cursor belongs to the rows")
            #expect(try Self.pks(reader, feed) == ["1", "2", "3"])
        }
        try reader.snapshot { () throws(ServerStorageError) in
            #expect(try last() == 4)
            #expect(try Self.pks(reader, feed) == ["2", "3", "1"])
        }
    }

    @Test func `a GET is answered while a transaction of any duration is open`() throws {
        let gate = Mutex<(() -> Void)?>(nil)
        let core = ServerCore(
            storage: try SQLiteServerStorage(.file(self.path)),
            now: {
                // Called in the middle of a POST's transaction.
                gate.withLock { $0.take() }?()
                return 1_000
            })
        let post = { (pk: String) in
            let edits: JSON = ["edits": [created("r\(pk)", pk, ["a": 1])]]
            return core.handle(ServerRequest(method: "POST", target: "/v1/notes", body: edits.bytes))
        }
        #expect(post("1").status == 200)
        let seen = Mutex<[ServerResponse]>([])
        let look: @Sendable () -> Void = {
            let page = core.handle(ServerRequest(method: "GET", target: "/v1/notes"))
            let item = core.handle(ServerRequest(method: "GET", target: "/v1/notes/1"))
            seen.withLock { $0 = [page, item] }
        }
        gate.withLock { $0 = look }
        #expect(post("2").status == 200)
        let answers = seen.withLock { $0 }
        #expect(answers.map(\.status) == [200, 200])
        let page = try Answer(try #require(answers.first))
        #expect(page.pks == ["1"])
        let rest = core.handle(
            ServerRequest(method: "GET", target: ServerHarness.target("notes", page.cursor, nil)))
        #expect(try Answer(rest).pks == ["2"], "W3: no later commit gets a version below the cursor")
    }

    @Test func `a watched POST waits for no reader`() throws {
        var limits = ServerLimits()
        limits.readers = 1
        let core = ServerCore(storage: try SQLiteServerStorage(.file(self.path)), limits: limits, now: { 1_000 })
        let watching = ServerRequest(
            method: "GET", target: "/v1/?watch=notes", headers: [("Accept", "text/event-stream")])
        guard case .events(let watch) = core.answer(watching) else {
            Issue.record("no watch")
            return
        }
        defer { watch.end() }
        _ = watch.take()
        let (isReading, mayEnd, isAnswered) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        DispatchQueue(label: "reader").async {
            _ = try? core.withReader { _ in
                isReading.signal()
                mayEnd.wait()
            }
        }
        isReading.wait()
        defer { mayEnd.signal() }
        DispatchQueue(label: "writer").async {
            let edits: JSON = ["edits": [created("r", "1", ["a": 1])]]
            _ = core.handle(ServerRequest(method: "POST", target: "/v1/notes", body: edits.bytes))
            isAnswered.signal()
        }
        #expect(isAnswered.wait(timeout: .now() + 20) == .success)
        #expect(watch.take().map(\.collection) == ["notes"])
    }

    @Test func `the log does not grow without limit while a reader reads`() throws {
        let (storage, feed) = try self.storage()
        storage.largestLog = 100_000
        let reader = try #require(try storage.openReader())
        let log = "\(self.path)-wal"
        let size = { (try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int) ?? 0 }
        var version: Int64 = 2
        let write = { () throws(ServerStorageError) in
            version += 1
            try storage.transaction { () throws(ServerStorageError) in
                let row = ServerRow(pk: "1", updatedAt: version, data: [UInt8](repeating: 0x20, count: 20_000))
                try storage.save(row, in: feed)
            }
        }
        // A reader with a long snapshot does not block the writer, but keeps the log from being checkpointed.
        try reader.snapshot { () throws(ServerStorageError) in
            _ = try reader.feed(account: "open", collection: "notes")
            for _ in 0..<20 {
                try write()
            }
        }
        #expect(size() > 100_000)
        // Readers with short snapshots do not: the log is checkpointed between them.
        for _ in 0..<20 {
            try write()
            try reader.snapshot { () throws(ServerStorageError) in
                #expect(try reader.feed(account: "open", collection: "notes")?.last == version)
            }
        }
        #expect(size() <= 200_000)
    }

    @Test func `a reader can't write`() throws {
        let database = try DatabaseConnection(.file(self.path))
        try database.execute("CREATE TABLE t (x)")
        try database.giveUpWriting()
        #expect(throws: DatabaseError.self) { try database.execute("INSERT INTO t VALUES (1)") }
        #expect(try database.integer("SELECT count(*) FROM t") == 0)
    }

    @Test func `a file with readers stays locked, and is free when they are closed`() throws {
        let open = { () throws(ServerStorageError) in try SQLiteServerStorage(.file(self.path)) }
        do {
            let core = ServerCore(storage: try open(), now: { 1 })
            #expect(core.handle(ServerRequest(method: "GET", target: "/v1/notes")).status == 200)
            let error = #expect(throws: ServerStorageError.self) { try open() }
            #expect(error?.code == .busy)
        }
        try open().close()
    }

    @Test func `each reader has each row once, in order, while writers write (W3)`() async throws {
        let clock = ManualClock(1)
        let server = try ServerHarness(.file(self.path), clock: clock)
        let perWriter = 50
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
                group.addTask {
                    for number in 0..<perWriter {
                        _ = try server.post(created("\(writer)-\(number)", "w\(writer)-\(number)", ["a": 1]))
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    var (cursor, versions): (String?, [Int]) = (nil, [])
                    while versions.count < 3 * perWriter {
                        let page = try server.list(after: cursor, limit: 7)
                        versions += page.items.compactMap { $0["updated_at"]?.int }
                        cursor = page.cursor
                    }
                    #expect(versions == Array(1...3 * perWriter))
                }
            }
            try await group.waitForAll()
        }
    }
}
