import TidemarkCore
import TidemarkDatabase
public import TidemarkRules

extension SQLiteStore {
    /// Removes everything. Deleted data is overwritten with zeros, and the file shrinks when it is closed.
    public func eraseAll() throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            try self.database.execute("PRAGMA secure_delete = ON")
            try self.dropAllIndexes()
            try self.projections.eraseAll()
            // The journal's counter is kept: no number is used a second time.
            try self.database.execute(
                """
                DELETE FROM record; DELETE FROM journal; DELETE FROM quarantined_item; DELETE FROM collection;
                DELETE FROM removal; DELETE FROM setting; DELETE FROM reference;
                """)
        }
        self.noteErasure()
    }

    /// Returns the space of erased data. The zeros are written to the file before it is truncated: otherwise its old blocks
    /// would be returned to the system with their contents.
    func shrink() {
        try? self.database.execute("PRAGMA wal_checkpoint(TRUNCATE); VACUUM")
    }
}
