import Synchronization
import TidemarkDatabase

extension ServerCore {
    /// The committed data of the storage, with which another storage can begin: as a backup, or to simulate a restart.
    ///
    /// Nil if the storage is not a ``SQLiteServerStorage``.
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
    /// The bytes of the committed data.
    func image() throws(ServerStorageError) -> [UInt8] {
        do throws(DatabaseError) {
            return try self.database.image()
        } catch {
            throw ServerStorageError(error)
        }
    }
}
