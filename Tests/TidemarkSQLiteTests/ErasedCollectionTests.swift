import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

/// The rows of a forgotten collection stay in the file until they are removed in parts.
@Suite struct ErasedCollectionTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        self.folder = try TemporaryFolder()
        self.path = self.folder.path("a.db")
    }

    private func rows(_ store: SQLiteStore) throws -> Int64 {
        let statement = try store.database.statement("SELECT count(*) FROM record")
        return try #require(try statement.step() ? statement.int64(0) : nil)
    }

    private func fill(_ store: SQLiteStore, _ collection: String, _ count: Int) throws {
        try store.commit { (store) throws(TidemarkError) in
            for number in 1...count {
                try store.save(
                    StoredRecord(
                        pk: "\(number)", phase: .synced,
                        confirmed: StoredVersion(version: "1", data: Array(#"{"n":1}"#.utf8))), in: collection)
            }
        }
    }

    private func removed(_ store: SQLiteStore, limit: Int) throws -> Bool {
        try store.transaction { () throws(TidemarkError) in try store.removeErased(limit: limit) }
    }

    @Test func `an erased collection costs no row, and its rows are removed in parts, also by the next process`() throws
    {
        let store = try SQLiteStore(path: self.path)
        try self.fill(store, "a", 3)
        try self.fill(store, "b", 5)
        try store.commit { (store) throws(TidemarkError) in try store.erase(collection: "b") }
        #expect(try self.rows(store) == 8)
        #expect(try self.removed(store, limit: 2))
        store.close()
        let next = try SQLiteStore(path: self.path)
        #expect(try self.rows(next) == 6)
        try self.fill(next, "c", 1)
        #expect(try next.counts(in: "c") == [.synced: 1])
        #expect(try self.removed(next, limit: 2))
        #expect(try !self.removed(next, limit: 2))
        #expect(try self.rows(next) == 4)
        #expect(try next.collections() == ["a", "c"])
    }

    @Test func `the first sync of a client removes what another one has left`() async throws {
        let store = try SQLiteStore(path: self.path)
        try self.fill(store, "old", 5)
        try store.commit { (store) throws(TidemarkError) in try store.erase(collection: "old") }
        store.close()
        let server = try InProcessServer()
        let client = try SyncClient(
            store: .sqlite(at: self.path), remote: InProcessRemote(server), configuration: SyncConfiguration(),
            time: server.clock, seed: 1)
        _ = try await client.sync(["notes"])
        await client.close()
        let last = try SQLiteStore(path: self.path)
        #expect(try self.rows(last) == 0)
    }

    @Test func `forget leaves no row in the file`() async throws {
        let server = try InProcessServer()
        let client = try SyncClient(
            store: .sqlite(at: self.path), remote: InProcessRemote(server), configuration: SyncConfiguration(),
            time: server.clock, seed: 1)
        try await client["notes"].create(["n": 1], pk: "1")
        _ = try await client.sync()
        try await client["notes"].forget()
        await client.close()
        let last = try SQLiteStore(path: self.path)
        #expect(try self.rows(last) == 0)
    }
}
