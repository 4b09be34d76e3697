public import Tidemark
public import TidemarkTesting

extension SQLiteStore: CopyableStore {
    /// Another store in memory that begins with what this one, in memory too, has committed.
    public func copy() throws(TidemarkError) -> SQLiteStore { try self.copyInMemory() }
}
