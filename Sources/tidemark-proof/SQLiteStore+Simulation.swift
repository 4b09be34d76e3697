public import Tidemark
public import TidemarkTesting

extension SQLiteStore: CopyableStore {
    /// Another store in memory with the committed content of this one, which is in memory too.
    public func copy() throws(TidemarkError) -> SQLiteStore { try self.copyInMemory() }
}
