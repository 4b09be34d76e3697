import Synchronization
import TidemarkCore
public import TidemarkRules

/// Keeps the data of closed stores in memory, so that the next store opens it, as with a file.
///
/// ```swift
/// let disk = MemoryDisk()
/// let first = try SyncClient(store: disk.open(), remote: remote)
/// await first.close()
/// let second = try SyncClient(store: disk.open(), remote: remote)
/// ```
public final class MemoryDisk: Sendable {
    private let snapshot = Mutex<MemoryStore.Snapshot?>(MemoryStore().snapshot)

    /// Makes an empty disk.
    public init() {}

    /// Opens the store.
    ///
    /// - Throws: `storeBusy` while another store has it open.
    public func open() throws(TidemarkError) -> sending MemoryStore {
        let snapshot = self.snapshot.withLock { snapshot in
            defer { snapshot = nil }
            return snapshot
        }
        guard let snapshot else { throw TidemarkError(.storeBusy, "Another store has the disk in memory open.") }
        return MemoryStore(snapshot: snapshot, disk: self)
    }

    func leave(_ snapshot: MemoryStore.Snapshot) {
        self.snapshot.withLock { $0 = snapshot }
    }
}
