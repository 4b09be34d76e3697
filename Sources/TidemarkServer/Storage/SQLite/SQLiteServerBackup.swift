import TidemarkDatabase

/// Copies a server's file over a separate connection.
struct SQLiteServerBackup: ServerBackup {
    let location: DatabaseLocation

    /// The names of the files that SQLite and the server keep next to a store while it is used.
    private static func neighbors(of store: String) -> [String] {
        ["-wal", "-shm", "-journal", "-control"].map { Self.name(of: store) + $0 }
    }

    private static func name(of path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
    }

    func write(to path: String) throws(ServerStorageError) {
        if case .file(let store) = self.location,
            Self.neighbors(of: store).contains(Self.name(of: path))
        {
            throw ServerStorageError(
                .refused, "\(path): a server keeps a file under this name; choose another name")
        }
        try translating { () throws(DatabaseError) in
            let database = try SQLiteServerStorage.connection(self.location, busyTimeout: .seconds(5))
            defer { database.close() }
            try database.copy(to: path)
        }
    }
}
