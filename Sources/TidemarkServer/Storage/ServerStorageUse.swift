/// The purpose for which a storage is opened.
///
/// ```swift
/// let storage = try SQLiteServerStorage(.file("server.db"), for: .administration(mayMake: false))
/// ```
public enum ServerStorageUse: Sendable, Hashable {
    /// To answer clients: the tables are made, or migrated to this version.
    case serving
    /// To manage accounts, tokens and backups, perhaps while servers of an older version run: tables of another version are
    /// refused and not changed. If there are no tables, they are made if `mayMake` is true.
    case administration(mayMake: Bool)

    /// Whether tables of an older version may be changed.
    ///
    /// - Parameter version: The version of the tables; 0 if there are none.
    package func mayChange(tablesOfVersion version: Int64) -> Bool {
        switch self {
        case .serving: true
        case .administration(let mayMake): mayMake && version == 0
        }
    }
}
