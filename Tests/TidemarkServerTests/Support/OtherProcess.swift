import Synchronization
import TidemarkServer

/// A storage whose tokens another process can revoke at any time, and whose accounts it can remove.
final class OtherProcess: AccountStorage {
    static let isRevoked = Mutex(false)
    static let isRemoved = Mutex(false)

    private let inner: SQLiteServerStorage

    init(_ inner: sending SQLiteServerStorage) { self.inner = inner }

    func token(ofDigest digest: String) throws(ServerStorageError) -> ServerToken? {
        Self.isRevoked.withLock { $0 } ? nil : try self.inner.token(ofDigest: digest)
    }

    func isRemoved(account: String) -> Bool { Self.isRemoved.withLock { $0 } }
    func epoch() -> String { self.inner.epoch() }
    func run() -> String { self.inner.run() }
    func keepsAccounts() throws(ServerStorageError) -> Bool { try self.inner.keepsAccounts() }
    func accounts() throws(ServerStorageError) -> [ServerAccount] { try self.inner.accounts() }
    func tokens() throws(ServerStorageError) -> [ServerToken] { try self.inner.tokens() }
    func add(_ account: ServerAccount) throws(ServerStorageError) { try self.inner.add(account) }
    func add(_ token: ServerToken) throws(ServerStorageError) -> Int64 { try self.inner.add(token) }
    func removeToken(_ number: Int64) throws(ServerStorageError) { try self.inner.removeToken(number) }
    func removeAccount(_ id: String) throws(ServerStorageError) { try self.inner.removeAccount(id) }
    func usage(of id: String) throws(ServerStorageError) -> AccountUsage { try self.inner.usage(of: id) }

    func snapshot<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome { try self.inner.snapshot(work) }

    func transaction<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome { try self.inner.transaction(work) }

    func feed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed? {
        try self.inner.feed(account: account, collection: collection)
    }

    func feeds(
        account: String, limit: Int
    ) throws(ServerStorageError) -> [(collection: String, feed: ServerFeed)] {
        try self.inner.feeds(account: account, limit: limit)
    }

    func openFeed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed {
        try self.inner.openFeed(account: account, collection: collection)
    }

    func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String? {
        try self.inner.run(of: version, in: feed)
    }

    func beginRun(after version: Int64, in feed: ServerFeed) throws(ServerStorageError) {
        try self.inner.beginRun(after: version, in: feed)
    }

    func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow? {
        try self.inner.row(pk, in: feed)
    }

    func rows(
        in feed: ServerFeed, after version: Int64, visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool
    ) throws(ServerStorageError) { try self.inner.rows(in: feed, after: version, visit: visit) }

    func countRows(in feed: ServerFeed, after version: Int64) throws(ServerStorageError) -> Int64 {
        try self.inner.countRows(in: feed, after: version)
    }

    func save(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError) { try self.inner.save(row, in: feed) }

    func answer(to requestID: String, in feed: ServerFeed) throws(ServerStorageError) -> RememberedAnswer? {
        try self.inner.answer(to: requestID, in: feed)
    }

    func remember(_ answer: RememberedAnswer, at time: Int64, in feed: ServerFeed) throws(ServerStorageError) {
        try self.inner.remember(answer, at: time, in: feed)
    }

    func purge(before time: Int64, limit: Int) throws(ServerStorageError) -> ServerPurge {
        try self.inner.purge(before: time, limit: limit)
    }

    func eraseRemoved(limit: Int) throws(ServerStorageError) -> Bool { try self.inner.eraseRemoved(limit: limit) }
}
