import TestSupport
import TidemarkDatabase

/// Opens a file of the folder without waiting for a lock.
func open(
    _ name: String, in folder: TemporaryFolder, access: DatabaseAccess = .readWrite, sharing: DatabaseSharing = .all,
    applicationID: Int32? = nil
) throws(DatabaseError) -> DatabaseConnection {
    try DatabaseConnection(
        .file(folder.path(name)), access: access, sharing: sharing, applicationID: applicationID,
        busyTimeout: .zero)
}

extension DatabaseConnection {
    /// The first column of every row, as text.
    func texts(_ sql: String) throws -> [String] {
        let statement = try self.statement(sql)
        var texts: [String] = []
        while try statement.step() {
            texts.append(try statement.text(0))
        }
        return texts
    }
}
