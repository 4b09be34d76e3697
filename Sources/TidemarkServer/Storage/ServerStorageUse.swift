/// What a storage is opened for.
///
/// ```swift
/// let storage = try SQLiteServerStorage(.file("server.db"), for: .administration(mayMake: false))
/// ```
public enum ServerStorageUse: Sendable, Hashable {
    /// To answer clients: the tables are made, or brought to the form of this version.
    case serving
    /// To look after accounts, tokens and backups, beside servers of an older version perhaps: tables of another version are
    /// refused and stay as they are. Where there are none, they are made if `mayMake` says so.
    case administration(mayMake: Bool)

    /// Whether tables of an older version may be changed.
    ///
    /// - Parameter version: Of the tables; 0 where there are none.
    package func mayChange(tablesOfVersion version: Int64) -> Bool {
        switch self {
        case .serving: true
        case .administration(let mayMake): mayMake && version == 0
        }
    }
}
