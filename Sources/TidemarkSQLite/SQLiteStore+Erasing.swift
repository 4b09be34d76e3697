import TidemarkCore
import TidemarkDatabase
public import TidemarkRules

extension SQLiteStore {
    /// Removes everything. What was deleted is overwritten with zeros, and the file shrinks when it is closed.
    public func eraseAll() throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            // What was journalled keeps its numbers: none is given a second time.
            try self.database.execute(
                """
                PRAGMA secure_delete = ON;
                DELETE FROM record; DELETE FROM journal; DELETE FROM item_set_aside; DELETE FROM collection;
                DELETE FROM removal; DELETE FROM setting;
                """)
        }
        self.noteErasure()
    }

    /// Gives the room of what was erased back. The zeros go to the file first, and only then the file is cut: else its old
    /// blocks would be handed to the system as they were.
    func shrink() {
        try? self.database.execute("PRAGMA wal_checkpoint(TRUNCATE); VACUUM")
    }
}
