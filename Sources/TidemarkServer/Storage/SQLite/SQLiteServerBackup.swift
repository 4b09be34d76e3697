import TidemarkDatabase

/// Copies a server's file over a connection of its own, which it opens for that.
struct SQLiteServerBackup: ServerBackup {
    let location: DatabaseLocation

    /// The names of what lies beside a store while it is used.
    private static func neighbours(of store: String) -> [String] {
        let name = store.split(separator: "/").last.map(String.init) ?? store
        return ["-wal", "-shm", "-journal", "-control"].map { name + $0 }
    }

    func write(to path: String) throws(ServerStorageError) {
        if case .file(let store) = self.location,
            Self.neighbours(of: store).contains(where: { path.hasSuffix("/\($0)") })
        {
            throw ServerStorageError(
                .refused, "\(path): a server keeps a file of its own under this name; name another one")
        }
        try translating { () throws(DatabaseError) in
            let database = try SQLiteServerStorage.connection(self.location, busyTimeout: .seconds(5))
            defer { database.close() }
            try database.copy(to: path)
        }
    }
}
