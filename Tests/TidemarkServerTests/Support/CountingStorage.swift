import Synchronization
import TidemarkServer

/// What happened to a storage, and what is to happen.
final class Tally: Sendable {
    private let state = Mutex((commits: 0, isNextToFail: false))

    /// How many transactions came to their commit.
    var commits: Int { self.state.withLock { $0.commits } }

    func failNextCommit() {
        self.state.withLock { $0.isNextToFail = true }
    }

    /// Whether this commit fails.
    fileprivate func commit() -> Bool {
        self.state.withLock { state in
            defer { state.isNextToFail = false }
            state.commits += 1
            return state.isNextToFail
        }
    }
}

/// The real storage, which counts commits, and fails where it is told to.
final class CountingStorage: ServerStorage {
    private let storage: any ServerStorage
    private let tally: Tally
    private let refused: String?

    /// - Parameter refusing: The `pk` of a row that can't be written.
    init(_ tally: Tally, refusing refused: String? = nil) throws {
        self.storage = try StorageOfTest.open()
        self.tally = tally
        self.refused = refused
    }

    func transaction<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.storage.transaction { () throws(ServerStorageError) in
            let outcome = try work()
            if self.tally.commit() { throw ServerStorageError(.failed, "the disk is gone") }
            return outcome
        }
    }

    func save(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError) {
        guard row.pk != self.refused else { throw ServerStorageError(.failed, "a page of the disk is gone") }
        try self.storage.save(row, in: feed)
    }

    func epoch() throws(ServerStorageError) -> String { try self.storage.epoch() }

    func run() throws(ServerStorageError) -> String { try self.storage.run() }

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
        try self.storage.expect(posts, waits: waits)
    }

    func settle() throws(ServerStorageError) {
        try self.storage.settle()
    }

    func openFeed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed {
        try self.storage.openFeed(account: account, collection: collection)
    }

    func beginRun(after version: Int64, in feed: ServerFeed) throws(ServerStorageError) {
        try self.storage.beginRun(after: version, in: feed)
    }

    func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String? {
        try self.storage.run(of: version, in: feed)
    }

    func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow? {
        try self.storage.row(pk, in: feed)
    }

    func rows(
        in feed: ServerFeed, after version: Int64, visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool
    ) throws(ServerStorageError) {
        try self.storage.rows(in: feed, after: version, visit: visit)
    }

    func countRows(in feed: ServerFeed, after version: Int64) throws(ServerStorageError) -> Int64 {
        try self.storage.countRows(in: feed, after: version)
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
