import Testing
import TidemarkCore
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite struct `Counts of records are read once, and then follow each write` {
    @Test func `a page adds the records that it inserts, and subtracts those that it removes`() throws {
        let store = try SQLiteStore.sqliteInMemory()
        try self.apply([("a", "1"), ("b", "1")], to: store)
        #expect(try store.counts(in: "c") == [.synced: 2])
        try self.apply([("a", "2"), ("b", nil), ("d", "2"), ("e", "2")], to: store)
        #expect(try store.counts(in: "c") == [.synced: 3])
    }

    /// Applies a page with a row for each pk, with a version or as a tombstone.
    private func apply(_ rows: [(pk: String, version: String?)], to store: SQLiteStore) throws {
        let items = rows.map { pk, version in
            FeedPage.Item(pk: "\"\(pk)\"", version: version ?? "3", data: version == nil ? nil : "{}")
        }
        try store.commit { (store) throws(TidemarkError) in
            _ = try store.refresh(FeedPage(items), in: "c", resyncGeneration: 0)
        }
    }
}
