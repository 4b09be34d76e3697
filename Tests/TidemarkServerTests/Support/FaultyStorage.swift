import TidemarkServer

/// The real storage, whose disk is full from the nth row on, and of which somebody else holds a collection.
final class FaultyStorage: ServerStorage {
    private let storage: any ServerStorage
    private var room: Int
    private let held: String?

    init(rowsUntilFull: Int = .max, holding held: String? = nil) throws {
        self.storage = try StorageOfTest.open()
        self.room = rowsUntilFull
        self.held = held
    }

    func epoch() throws(ServerStorageError) -> String {
        try self.storage.epoch()
    }

    func run() throws(ServerStorageError) -> String {
        try self.storage.run()
    }

    func beginRun(after version: Int64, in feed: ServerFeed) throws(ServerStorageError) {
        try self.storage.beginRun(after: version, in: feed)
    }

    func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String? {
        try self.storage.run(of: version, in: feed)
    }

    func transaction<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.storage.transaction(work)
    }

    func snapshot<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.storage.snapshot(work)
    }

    func feed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed? {
        try self.storage.feed(account: account, collection: collection)
    }

    func feeds(
        account: String, limit: Int
    ) throws(ServerStorageError) -> [(collection: String, feed: ServerFeed)] {
        try self.storage.feeds(account: account, limit: limit)
    }

    func usage(of account: String) throws(ServerStorageError) -> AccountUsage {
        try self.storage.usage(of: account)
    }

    func expect(_ posts: [ExpectedPost], waits: Bool) throws(ServerStorageError) {
        guard !posts.contains(where: { $0.collection == self.held }) else {
            throw ServerStorageError(.busy, waits ? "it was waited for" : "another process holds it")
        }
        try self.storage.expect(posts, waits: waits)
    }

    func settle() throws(ServerStorageError) {
        try self.storage.settle()
    }

    func openFeed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed {
        try self.storage.openFeed(account: account, collection: collection)
    }

    func countRows(in feed: ServerFeed, after version: Int64) throws(ServerStorageError) -> Int64 {
        try self.storage.countRows(in: feed, after: version)
    }

    func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow? {
        try self.storage.row(pk, in: feed)
    }

    func save(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError) {
        guard self.room > 0 else { throw ServerStorageError(.full, "/srv/server.db: the disk is full") }
        self.room -= 1
        try self.storage.save(row, in: feed)
    }

    func rows(
        in feed: ServerFeed, after version: Int64, visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool
    ) throws(ServerStorageError) {
        try self.storage.rows(in: feed, after: version, visit: visit)
    }

    func answer(to requestID: String, in feed: ServerFeed) throws(ServerStorageError) -> RememberedAnswer? {
        try self.storage.answer(to: requestID, in: feed)
    }

    func remember(_ answer: RememberedAnswer, at time: Int64, in feed: ServerFeed) throws(ServerStorageError) {
        try self.storage.remember(answer, at: time, in: feed)
    }

    func purge(before time: Int64, limit: Int) throws(ServerStorageError) -> ServerPurge {
        try self.storage.purge(before: time, limit: limit)
    }
}
