import Testing
import TidemarkServer

@Suite("A feed within a transaction")
struct OpenFeedsTests {
    private let storage: SQLiteServerStorage

    init() throws {
        self.storage = try SQLiteServerStorage(.memory)
        try self.storage.transaction { () throws(ServerStorageError) in try self.save("1", at: 7) }
    }

    private func feed() throws(ServerStorageError) -> ServerFeed? {
        try self.storage.feed(account: "a", collection: "notes")
    }

    private func save(_ pk: String, at version: Int64) throws(ServerStorageError) {
        var feed = try self.storage.openFeed(account: "a", collection: "notes")
        feed.rows += 1
        feed.bytes += 2
        try self.storage.save(ServerRow(pk: pk, updatedAt: version, data: Array("{}".utf8)), in: feed)
    }

    @Test func `a feed and its usage are read as they were written in the same transaction`() throws {
        let (last, usage) = try self.storage.transaction { () throws(ServerStorageError) in
            try self.save("2", at: 8)
            return (try self.feed()?.last, try self.storage.usage(of: "a"))
        }
        #expect(last == 8)
        #expect(usage == AccountUsage(collections: 1, rows: 2, bytes: 4))
    }

    @Test func `a transaction that ends saves each feed that it changed`() throws {
        try self.storage.transaction { () throws(ServerStorageError) in
            try self.save("2", at: 8)
            try self.save("3", at: 9)
            _ = try self.storage.openFeed(account: "a", collection: "others")
        }
        let feeds = try self.storage.snapshot { () throws(ServerStorageError) in
            try self.storage.feeds(account: "a", limit: 9)
        }
        #expect(feeds.map { $0.feed.last } == [9, 0])
        #expect(feeds.map { $0.feed.rows } == [3, 0])
    }

    @Test func `a transaction that fails leaves a feed unchanged`() throws {
        #expect(throws: ServerStorageError.self) {
            try self.storage.transaction { () throws(ServerStorageError) in
                try self.save("2", at: 8)
                throw ServerStorageError(.failed, "it fails")
            }
        }
        let feed = try self.storage.snapshot { () throws(ServerStorageError) in try self.feed() }
        #expect(feed?.last == 7)
        #expect(feed?.rows == 1)
    }
}
