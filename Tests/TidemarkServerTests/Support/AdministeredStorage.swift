import Synchronization
import TidemarkServer

/// What another process does to the accounts of a storage at any time.
final class OtherProcess: Sendable {
    let isTokenRevoked = Mutex(false)
    let isAccountRemoved = Mutex(false)
}

/// A storage in memory whose tokens another process can revoke, and whose accounts it can remove.
final class AdministeredStorage: ForwardingStorage {
    private let other: OtherProcess

    init(by other: OtherProcess) throws {
        self.other = other
        try super.init(SQLiteServerStorage(.memory))
    }

    override func token(ofDigest digest: String) throws(ServerStorageError) -> ServerToken? {
        self.other.isTokenRevoked.withLock { $0 } ? nil : try self.storage.token(ofDigest: digest)
    }

    override func isRemoved(account: String) throws(ServerStorageError) -> Bool {
        self.other.isAccountRemoved.withLock { $0 }
    }
}
