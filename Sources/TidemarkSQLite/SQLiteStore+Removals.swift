public import TidemarkCore
import TidemarkDatabase
public import TidemarkRules

extension SQLiteStore {
    /// Stores a removal that the server confirmed.
    public func append(_ removal: StoredRemoval, in collection: String) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            // Replaced and not updated, so that it gets the newest number.
            try self.database.statement(
                "INSERT OR REPLACE INTO removal (collection, pk, path, version) VALUES (?1, ?2, ?3, ?4)",
                binding: try self.knownCollectionID(collection), removal.pk, removal.path, removal.version
            ).run()
        }
    }

    /// The removals of a record, from the oldest to the newest.
    public func removals(of pk: String, in collection: String) throws(TidemarkError) -> [StoredRemoval] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [] }
            let statement = try self.database.statement(
                "SELECT pk, path, version FROM removal WHERE collection = ?1 AND pk = ?2 ORDER BY number", binding: id,
                pk)
            return try statement.rows { (columns) throws(DatabaseError) in
                StoredRemoval(pk: try columns.text(), path: try columns.text(), version: try columns.textOrNull())
            }
        }
    }

    /// Removes all but the newest removals of a collection.
    public func trimRemovals(of collection: String, keeping count: Int) throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return }
            try self.database.statement(
                """
                DELETE FROM removal WHERE collection = ?1 AND number <= (
                    SELECT number FROM removal WHERE collection = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)
                """, binding: id, Int64(max(0, count))
            ).run()
        }
    }
}
