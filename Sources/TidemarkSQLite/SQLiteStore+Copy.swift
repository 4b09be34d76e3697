import TidemarkDatabase
package import TidemarkRules

extension SQLiteStore {
    /// Opens an empty store in a temporary file without a name, which is discarded when it is closed.
    package static func inTemporaryFile() throws(TidemarkError) -> sending SQLiteStore {
        try SQLiteStore(.temporary)
    }

    /// Returns another store in memory with the committed contents of this one, which is also in memory.
    package func copyInMemory() throws(TidemarkError) -> SQLiteStore {
        let copy = try SQLiteStore(.memory)
        try copy.read { () throws(DatabaseError) in try copy.database.load(try self.database.image()) }
        return copy
    }
}
