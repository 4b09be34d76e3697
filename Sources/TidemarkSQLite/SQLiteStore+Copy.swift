import TidemarkDatabase
package import TidemarkRules

extension SQLiteStore {
    /// Returns another store in memory with the committed contents of this one, which is also in memory.
    package func copyInMemory() throws(TidemarkError) -> SQLiteStore {
        let copy = try SQLiteStore(.memory)
        try copy.read { () throws(DatabaseError) in try copy.database.load(try self.database.image()) }
        return copy
    }
}
