import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite struct `Rows that a transaction has read are cached` {
    /// A store with an edited record that was read within a transaction, and so is cached.
    private func store() throws -> SQLiteStore {
        let store = try SQLiteStore.sqliteInMemory()
        try store.commit { (store) throws(TidemarkError) in try store.save(edited("a"), in: "c") }
        try store.commit { (store) throws(TidemarkError) in _ = try store.record("a", in: "c") }
        return store
    }

    private func encodedEdit(_ requestID: String = "r") -> StoredRecord {
        var record = edited("a")
        record.phase = .edited(.uploading)
        record.upload = StoredUpload(requestID: requestID, edit: Array("{}".utf8), wasResent: false)
        record.editedData = nil
        return record
    }

    private func integer(_ sql: String, in store: SQLiteStore) throws -> Int64 {
        try store.database.integer(sql)
    }

    @Test func `a cached row is saved by its changed columns and read back the same`() throws {
        let store = try self.store()
        var settled = self.encodedEdit()
        settled.phase = .synced
        settled.upload = nil
        settled.confirmed = StoredVersion(version: "2", data: Array("{\"n\":2}".utf8))
        settled.sequence = 0
        for record in [self.encodedEdit(), settled, edited("a", sequence: 7)] {
            try store.commit { (store) throws(TidemarkError) in try store.save(record, in: "c") }
            #expect(try store.record("a", in: "c") == record)
            // The row as another connection to the file would read it.
            let copy = try store.copyInMemory()
            #expect(try copy.record("a", in: "c") == record)
        }
        #expect(try self.integer("SELECT count(*) FROM record", in: store) == 1)
    }

    @Test func `two spellings of a version are two values`() throws {
        let store = try self.store()
        for version in ["\"\u{e9}\"", "\"e\u{301}\""] {
            var record = self.encodedEdit()
            record.confirmed.version = version
            try store.commit { (store) throws(TidemarkError) in try store.save(record, in: "c") }
            let bytes = try #require(try store.copyInMemory().record("a", in: "c")?.confirmed.version).utf8
            #expect(bytes.elementsEqual(version.utf8))
        }
    }

    @Test func `a row of a rolled back transaction is not cached`() throws {
        let store = try self.store()
        let failure = TidemarkError(.storeFull, "There is no room.")
        #expect(throws: TidemarkError.self) {
            try store.commit { (store) throws(TidemarkError) in
                try store.save(self.encodedEdit(), in: "c")
                throw failure
            }
        }
        #expect(try store.record("a", in: "c") == edited("a"))
        try store.commit { (store) throws(TidemarkError) in try store.save(self.encodedEdit(), in: "c") }
        #expect(try store.copyInMemory().record("a", in: "c") == self.encodedEdit())
    }

    @Test func `a row that a page has marked is not cached`() throws {
        let store = try self.store()
        try store.commit { (store) throws(TidemarkError) in
            let page = FeedPage([FeedPage.Item(pk: "\"a\"", version: "2", data: "{}")])
            #expect(try store.refresh(page, in: "c", resyncGeneration: 5).left == [0])
        }
        #expect(try store.record("a", in: "c")?.resyncGeneration == 5)
    }

    @Test func `an erased row is gone and can be saved again`() throws {
        let store = try self.store()
        try store.commit { (store) throws(TidemarkError) in try store.erase("a", in: "c") }
        #expect(try store.record("a", in: "c") == nil)
        try store.commit { (store) throws(TidemarkError) in try store.save(self.encodedEdit(), in: "c") }
        #expect(try store.record("a", in: "c") == self.encodedEdit())
        try store.commit { (store) throws(TidemarkError) in
            _ = try store.record("a", in: "c")
            try store.erase(collection: "c")
        }
        #expect(try store.record("a", in: "c") == nil)
    }

    @Test func `more rows than the cache holds are saved`() throws {
        let store = try SQLiteStore.sqliteInMemory()
        let records = (0..<600).map { edited("\($0)", sequence: Int64($0 + 1)) }
        try store.commit { (store) throws(TidemarkError) in
            for record in records { try store.save(record, in: "c") }
        }
        try store.commit { (store) throws(TidemarkError) in
            for var record in try store.recordsToSend(in: "c", limit: 600) {
                record.rounds = 3
                try store.save(record, in: "c")
            }
        }
        #expect(try self.integer("SELECT count(*) FROM record WHERE rounds = 3", in: store) == 600)
    }
}
