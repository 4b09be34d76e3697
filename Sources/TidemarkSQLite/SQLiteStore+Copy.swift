import TidemarkDatabase
package import TidemarkRules

extension SQLiteStore {
    /// Another store in memory that begins with what this one, in memory too, has committed.
    package func copyInMemory() throws(TidemarkError) -> SQLiteStore {
        let copy = try SQLiteStore(.memory)
        try copy.read { () throws(DatabaseError) in try copy.database.load(try self.database.image()) }
        return copy
    }
}
