import TidemarkDatabase

/// Copies a server's file over a connection of its own, which it opens for that.
struct SQLiteServerBackup: ServerBackup {
    let location: DatabaseLocation

    func write(to path: String) throws(ServerStorageError) {
        try translating { () throws(DatabaseError) in
            let database = try SQLiteServerStorage.connection(self.location, busyTimeout: .seconds(5))
            defer { database.close() }
            try database.copy(to: path)
        }
    }
}
