public import TidemarkCore
public import TidemarkRules

/// A store of which a copy can be made: what a crash leaves, or a backup on a second device.
public protocol CopyableStore: RecordStore {
    /// Another store that begins with all that this one has committed, and nothing else.
    func copy() throws(TidemarkError) -> Self
}

extension MemoryStore: CopyableStore {
    /// Another store that begins with all that this one has committed.
    public func copy() -> MemoryStore { MemoryStore(snapshot: self.snapshot) }
}
