import Synchronization
import TidemarkDatabase

extension ServerCore {
    /// All that the storage has committed, for one that begins with it: a backup, or what a restart finds.
    ///
    /// Nil where the storage is of another kind than ``SQLiteServerStorage``.
    package func image() throws(ServerStorageError) -> [UInt8]? {
        let image = self.storage.withLock { storage -> Result<[UInt8], ServerStorageError>? in
            (storage as? SQLiteServerStorage).map { storage in
                Result { () throws(ServerStorageError) in try storage.image() }
            }
        }
        return try image?.get()
    }
}

extension SQLiteServerStorage {
    /// The bytes of what is committed.
    func image() throws(ServerStorageError) -> [UInt8] {
        do throws(DatabaseError) {
            return try self.database.image()
        } catch {
            throw ServerStorageError(error)
        }
    }
}
