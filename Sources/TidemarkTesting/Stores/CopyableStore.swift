public import TidemarkCore
public import TidemarkRules

/// A store that can be copied: to simulate a crash, or a backup on a second device.
public protocol CopyableStore: RecordStore {
    /// Another store with exactly the committed data of this one.
    func copy() throws(TidemarkError) -> Self
}

extension MemoryStore: CopyableStore {
    /// Another store with the committed data of this one.
    public func copy() -> MemoryStore { MemoryStore(snapshot: self.snapshot) }
}
