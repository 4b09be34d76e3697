import Synchronization
import TidemarkServer

/// Changes of a storage's accounts by another process, at any time.
final class OtherProcess: Sendable {
    let isTokenRevoked = Mutex(false)
    let isAccountRemoved = Mutex(false)
}

/// A storage in memory in which another process can revoke tokens and remove accounts.
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
