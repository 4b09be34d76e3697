import TidemarkServer

/// What the servers of a test keep their rows in.
enum StorageOfTest {
    /// Opens the storage that the test runs over.
    static func open(
        _ location: SQLiteServerStorage.Location = .memory, epoch: String = "e1"
    ) throws -> sending any ServerStorage {
        try SQLiteServerStorage(location, epoch: { epoch })
    }
}
