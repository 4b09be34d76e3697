import Synchronization
import TidemarkServer

/// The number of look-ups of tokens in a storage.
final class LookUps: Sendable {
    private let state = Mutex(0)

    var count: Int { self.state.withLock(\.self) }

    fileprivate func add() { self.state.withLock { $0 += 1 } }
}

/// The storage of the test, which counts look-ups of tokens.
final class LookUpStorage: ForwardingStorage {
    private let lookUps: LookUps

    init(_ lookUps: LookUps) throws {
        self.lookUps = lookUps
        try super.init(StorageOfTest.open())
    }

    override func token(ofDigest digest: String) throws(ServerStorageError) -> ServerToken? {
        self.lookUps.add()
        return try self.storage.token(ofDigest: digest)
    }
}
