public import TidemarkJSON

/// Tables of the app in the file of the store, made of the records of one collection: for full-text search, sums, or any other
/// SQL.
///
/// ```swift
/// struct TitleSearch: Projection {
///     let name = "search"
///     let collection = "notes"
///     let version = 1
///
///     func setUp(_ tables: ProjectionTables) throws {
///         try tables.run("CREATE TABLE app_search_row (id INTEGER PRIMARY KEY, pk TEXT NOT NULL UNIQUE)")
///         try tables.run("CREATE VIRTUAL TABLE app_search USING fts5(title)")
///     }
///
///     func update(_ pk: String, to content: JSON?, in tables: ProjectionTables) throws {
///         let row = "(SELECT id FROM app_search_row WHERE pk = ?1)"
///         guard let title = content?.title?.string else {
///             try tables.run("DELETE FROM app_search WHERE rowid = \(row)", .text(pk))
///             return try tables.run("DELETE FROM app_search_row WHERE pk = ?1", .text(pk))
///         }
///         try tables.run("INSERT OR IGNORE INTO app_search_row (pk) VALUES (?1)", .text(pk))
///         try tables.run(
///             "INSERT OR REPLACE INTO app_search (rowid, title) VALUES (\(row), ?2)", .text(pk), .text(title))
///     }
/// }
///
/// let store = try SQLiteStore.sqlite(at: path, projections: [TitleSearch()])
/// ```
///
/// The store calls ``update(_:to:in:)`` in the transaction that writes the record, so the tables always equal the records, also
/// after a crash. A projection that is new, or has another ``version``, is built in slices by each sync, and by
/// ``SyncCollection/buildIndexes()``. The app reads the tables with ``SyncClient/readTables(of:_:)``.
///
/// An error that its code throws does not stop the record: the projection is marked as wrong, and is built again at the next
/// opening of the store.
public protocol Projection: Sendable {
    /// The name, which is unique in a store: lowercase letters, digits and `_`. The projection may write to the table
    /// `app_<name>`, and to tables whose names begin with `app_<name>_`.
    var name: String { get }

    /// The collection of the records.
    var collection: String { get }

    /// The version of the tables and their contents. With another one they are built again.
    var version: Int { get }

    /// Creates the tables. Earlier ones were dropped.
    func setUp(_ tables: ProjectionTables) throws

    /// Writes a record to the tables. It may be called twice with the same content.
    ///
    /// - Parameter content: The record as the app sees it; nil if it was deleted, or can't be read.
    func update(_ pk: String, to content: JSON?, in tables: ProjectionTables) throws
}
