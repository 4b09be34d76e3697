import Synchronization
import TidemarkServer

/// The commits of a storage, and whether the next one fails.
final class Tally: Sendable {
    private let state = Mutex((commits: 0, isNextToFail: false))

    /// The number of transactions that reached their commit.
    var commits: Int { self.state.withLock { $0.commits } }

    func failNextCommit() {
        self.state.withLock { $0.isNextToFail = true }
    }

    /// Counts a commit; returns whether it fails.
    fileprivate func commit() -> Bool {
        self.state.withLock { state in
            defer { state.isNextToFail = false }
            state.commits += 1
            return state.isNextToFail
        }
    }
}

/// The real storage, which counts commits and can fail.
final class CountingStorage: ForwardingStorage {
    private let tally: Tally
    private let refused: String?

    /// - Parameter refusing: The `pk` of a row that can't be written.
    init(_ tally: Tally, refusing refused: String? = nil) throws {
        self.tally = tally
        self.refused = refused
        try super.init(StorageOfTest.open())
    }

    override func transaction<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.storage.transaction { () throws(ServerStorageError) in
            let outcome = try work()
            if self.tally.commit() { throw ServerStorageError(.failed, "the disk is gone") }
            return outcome
        }
    }

    override func save(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError) {
        guard row.pk != self.refused else { throw ServerStorageError(.failed, "a page of the disk is damaged") }
        try self.storage.save(row, in: feed)
    }
}
