import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite struct `A crash commits a transaction as a whole or not at all (I10)` {
    /// The contents of a store, to be compared before and after.
    struct Contents: Equatable {
        let records: [StoredRecord]
        let states: [CollectionState]
        let collections: [String]
        let journal: [StoredJournalEntry]
        let removals: [StoredRemoval]

        init(_ store: SQLiteStore) throws {
            let collections = try store.collections()
            self.collections = collections
            self.states = try collections.map { try store.state(of: $0) }
            self.records = try collections.flatMap {
                try store.records(in: $0, states: Set(SyncState.allCases), after: nil, limit: .max)
            }
            self.journal = try collections.flatMap { try store.journal(of: nil, in: $0) }
            self.removals = try collections.flatMap { try store.removals(of: "3", in: $0) }
        }
    }

    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// A store with records, and so small a cache that an open transaction spills into the log.
    private func smallStore() throws -> SQLiteStore {
        let store = try self.folder.store()
        try store.commit { (store) throws(TidemarkError) in
            try store.save(CollectionState(cursor: "1"), of: "c")
            for number in 0..<20 {
                try store.save(edited("\(number)", sequence: Int64(number), bytes: 2000), in: "c")
            }
        }
        try store.database.execute("PRAGMA cache_size = 1; PRAGMA cache_spill = 1")
        return store
    }

    private func contents(ofCopy copy: String) throws -> Contents {
        let store = try self.folder.store(copy)
        #expect(
            try store.database.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'") == 0
        )
        return try Contents(store)
    }

    @Test func `a log cut at any place has the transaction as a whole or not at all`() throws {
        let store = try self.smallStore()
        let before = try Contents(store)
        let start = try self.folder.read("a.db-wal").count
        try store.commit { (store) throws(TidemarkError) in
            try store.save(edited("20", bytes: 3000), in: "c")
            try store.erase("3", in: "c")
            try store.append(StoredRemoval(pk: "3", path: "", version: "2"), in: "c")
            try store.save(CollectionState(cursor: "2"), of: "c")
        }
        let after = try Contents(store)
        let end = try self.folder.read("a.db-wal").count
        #expect(end > start)
        // Every frame of the log is 24 + 4096 bytes; the log is cut at both ends and in the middle of each.
        let cuts = stride(from: start, to: end, by: 4120).flatMap { [$0, $0 + 1, $0 + 24, $0 + 2000, $0 + 4119] }
        for cut in cuts {
            try self.folder.copyStore(to: "\(cut).db", logBytes: cut)
            #expect(try self.contents(ofCopy: "\(cut).db") == before, "cut at \(cut) of \(end)")
        }
        try self.folder.copyStore(to: "whole.db")
        #expect(try self.contents(ofCopy: "whole.db") == after)
    }

    @Test func `an interrupted first opening is completed by the next one`() throws {
        let empty = try DatabaseConnection(
            .file(self.folder.path("a.db")), sharing: .none, applicationID: SQLiteStore.applicationID)
        empty.close()
        let store = try self.folder.store()
        try store.commit { (store) throws(TidemarkError) in try store.save(edited("1"), in: "c") }
        #expect(try store.pks() == ["1"])
    }
}

@Suite struct `A full disk` {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func fill(_ store: SQLiteStore, swallowing: Bool) throws -> TidemarkError {
        try #require(throws: TidemarkError.self) {
            try store.commit { (store) throws(TidemarkError) in
                try store.save(CollectionState(cursor: "2"), of: "c")
                for number in 0..<1000 {
                    do throws(TidemarkError) {
                        try store.save(edited("more \(number)", bytes: 2000), in: "c")
                    } catch {
                        guard swallowing else { throw error }
                    }
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `a full disk rolls the transaction back, is reported, and leaves a working store`(errorIsSwallowed: Bool)
        throws
    {
        let store = try self.folder.store()
        try store.commit { (store) throws(TidemarkError) in
            try store.save(CollectionState(cursor: "1"), of: "c")
            try store.save(edited("1"), in: "c")
        }
        let pages = try store.database.integer("PRAGMA page_count")
        _ = try store.database.integer("PRAGMA max_page_count = \(pages + 50)")

        let error = try self.fill(store, swallowing: errorIsSwallowed)
        #expect(error.code == .storeFull)
        #expect(error.message.contains("Nothing of this change was kept"))
        #expect(try store.pks() == ["1"])
        #expect(try store.state(of: "c").cursor == "1")

        try store.commit { (store) throws(TidemarkError) in try store.save(edited("2"), in: "c") }
        #expect(try store.pks() == ["1", "2"])
        _ = try store.database.integer("PRAGMA max_page_count = \(pages + 5000)")
        try store.commit { (store) throws(TidemarkError) in try store.save(edited("3", bytes: 300_000), in: "c") }
        store.close()
        #expect(try self.folder.store().pks() == ["1", "2", "3"])
    }

    @Test func `a page that does not fit on a full disk is rolled back`() throws {
        let store = try self.folder.store()
        let pages = try store.database.integer("PRAGMA page_count")
        _ = try store.database.integer("PRAGMA max_page_count = \(pages + 20)")
        let data = "{\"text\":\"\(String(repeating: "z", count: 2000))\"}"
        let items = (0..<500).map { FeedPage.Item(pk: "\"\($0)\"", version: "1", data: data) }
        let error = try #require(throws: TidemarkError.self) {
            try store.commit { (store) throws(TidemarkError) in
                _ = try store.refresh(FeedPage(items), in: "c", resyncGeneration: 0)
                try store.save(CollectionState(cursor: "1"), of: "c")
            }
        }
        #expect(error.code == .storeFull)
        #expect(try store.collections() == [])
        try store.commit { (store) throws(TidemarkError) in
            _ = try store.refresh(FeedPage(Array(items.prefix(5))), in: "c", resyncGeneration: 0)
        }
        #expect(try store.pks().count == 5)
    }
}
