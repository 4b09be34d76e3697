import Testing
import TidemarkServer

/// The storage of the test, for subclasses that change one of its methods. All reads use it as well: it opens no separate
/// reader.
class ForwardingStorage: AccountStorage {
    let storage: any AccountStorage
    var reader: any ServerReader { self.storage }

    init(_ storage: sending any ServerStorage) throws { self.storage = try #require(storage as? any AccountStorage) }

    func run() throws(ServerStorageError) -> String { try self.storage.run() }

    // MARK: Transactions

    func transaction<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome { try self.storage.transaction(work) }

    func expect(_ posts: [ExpectedPost], waits: Bool) throws(ServerStorageError) {
        try self.storage.expect(posts, waits: waits)
    }

    // MARK: Feeds and rows

    func openFeed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed {
        try self.storage.openFeed(account: account, collection: collection)
    }

    func beginRun(after version: Int64, in feed: ServerFeed) throws(ServerStorageError) {
        try self.storage.beginRun(after: version, in: feed)
    }

    func save(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError) { try self.storage.save(row, in: feed) }

    func answer(to requestID: String, in feed: ServerFeed) throws(ServerStorageError) -> RememberedAnswer? {
        try self.storage.answer(to: requestID, in: feed)
    }

    func remember(_ answer: RememberedAnswer, at time: Int64, in feed: ServerFeed) throws(ServerStorageError) {
        try self.storage.remember(answer, at: time, in: feed)
    }

    func purge(before time: Int64, limit: Int) throws(ServerStorageError) -> ServerPurge {
        try self.storage.purge(before: time, limit: limit)
    }

    // MARK: Accounts

    func token(ofDigest digest: String) throws(ServerStorageError) -> ServerToken? {
        try self.storage.token(ofDigest: digest)
    }

    var isNear: Bool { true }
    func isRemoved(account: String) throws(ServerStorageError) -> Bool { try self.storage.isRemoved(account: account) }
    func accounts() throws(ServerStorageError) -> [ServerAccount] { try self.storage.accounts() }
    func tokens() throws(ServerStorageError) -> [ServerToken] { try self.storage.tokens() }
    func add(_ account: ServerAccount) throws(ServerStorageError) { try self.storage.add(account) }
    func add(_ token: ServerToken) throws(ServerStorageError) -> Int64 { try self.storage.add(token) }
    func removeToken(_ number: Int64) throws(ServerStorageError) { try self.storage.removeToken(number) }
    func hold(account: String) throws(ServerStorageError) { try self.storage.hold(account: account) }
    func removeAccount(_ id: String) throws(ServerStorageError) { try self.storage.removeAccount(id) }
    func eraseRemoved(limit: Int) throws(ServerStorageError) -> Bool { try self.storage.eraseRemoved(limit: limit) }
}
