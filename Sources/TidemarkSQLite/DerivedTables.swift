import TidemarkDatabase
import TidemarkJSON
import TidemarkRules

/// Tables in the file that are made of the records of one collection: those of an index, or of a projection of the app.
///
/// They are complete if ``builtTo`` is nil; otherwise rows with a larger number are not in them yet. A record with a debt was changed
/// by a program that could not write it to them (Contract §13).
final class DerivedTable {
    enum Kind: String {
        /// A missing entry would lose a row of a query. So an index equals its rows, or is dropped and built again.
        case index

        /// With a ``DerivedTable/failure`` the tables are wrong, and are neither updated nor read; records are not affected.
        case projection
    }

    let id: Int64
    let kind: Kind

    /// The paths of an index, as JSON, which are unique in the collection; the name of a projection, which is unique in the store.
    let name: String

    /// The name of the collection, which need not exist.
    let collection: String

    /// The version of a projection.
    let version: Int64

    /// ``RecordIndexes/fingerprint`` of the contents.
    let fingerprint: String

    fileprivate(set) var builtTo: Int64?
    fileprivate(set) var failure: String?

    /// The number of records with a debt.
    fileprivate(set) var debts: Int

    /// The index; one without paths for a projection.
    let index: RecordIndex

    fileprivate init(
        id: Int64, _ kind: Kind, _ name: String, of collection: String, version: Int64, _ fingerprint: String,
        builtTo: Int64?, failure: String? = nil, debts: Int = 0
    ) throws(DatabaseError) {
        (self.id, self.kind, self.name, self.collection) = (id, kind, name, collection)
        (self.version, self.fingerprint, self.builtTo, self.failure) = (version, fingerprint, builtTo, failure)
        self.debts = debts
        let paths = kind == .index ? (try? JSON(parsing: name))?.array?.compactMap(\.string) ?? [] : []
        guard kind == .projection || !paths.isEmpty else { throw DatabaseError(unknown: name, of: "index") }
        self.index = RecordIndex(paths)
    }

    /// The table of an index: plain bytes, which any program can read and copy.
    var entries: String { "entry_\(self.id)" }

    var isComplete: Bool { self.failure == nil && self.builtTo == nil && self.debts == 0 }

    /// Whether rows are to be added.
    var isUnfinished: Bool { self.failure == nil && self.builtTo != nil }

    /// Whether a row is in the tables.
    func has(_ row: Int64) -> Bool {
        self.failure == nil && (self.builtTo.map { row <= $0 } ?? true)
    }
}

/// The indexes and projections in the file: read once, and again after a rollback.
final class DerivedTables {
    private let database: DatabaseConnection
    private var list: [DerivedTable]?

    init(on database: DatabaseConnection) { self.database = database }

    /// Reads them again at the next use.
    func forget() { self.list = nil }

    /// All of them, in the order of their ids.
    func all() throws(DatabaseError) -> [DerivedTable] {
        if let list { return list }
        let statement = try self.database.statement(
            """
            SELECT id, kind, name, collection, version, fingerprint, built_to, failure,
                (SELECT count(*) FROM debt WHERE debt.derived = derived.id)
            FROM derived ORDER BY id
            """)
        let list = try statement.rows { (columns) throws(DatabaseError) in
            let (id, kind) = (try columns.integer(), try columns.text())
            guard let known = DerivedTable.Kind(rawValue: kind) else {
                throw DatabaseError(unknown: kind, of: "kind of a derived table")
            }
            return try DerivedTable(
                id: id, known, try columns.text(), of: try columns.text(), version: try columns.integer(),
                try columns.text(), builtTo: try columns.integerOrNull(), failure: try columns.textOrNull(),
                debts: try columns.count())
        }
        self.list = list
        return list
    }

    /// Those of a kind in a collection.
    func all(_ kind: DerivedTable.Kind, in collection: String) throws(DatabaseError) -> [DerivedTable] {
        try self.all().filter { $0.kind == kind && $0.collection.utf8.elementsEqual(collection.utf8) }
    }

    func add(
        _ kind: DerivedTable.Kind, _ name: String, of collection: String, version: Int64 = 0, _ fingerprint: String,
        builtTo: Int64?
    ) throws(DatabaseError) -> DerivedTable {
        let list = try self.all()
        try self.database.statement(
            "INSERT INTO derived (kind, name, collection, version, fingerprint, built_to) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            binding: kind.rawValue, name, collection, version, fingerprint, builtTo
        ).run()
        let table = try DerivedTable(
            id: self.database.lastInsertRowID, kind, name, of: collection, version: version, fingerprint,
            builtTo: builtTo)
        self.list = list + [table]
        return table
    }

    func remove(_ table: DerivedTable) throws(DatabaseError) {
        try self.clearDebts(of: table)
        try self.database.statement("DELETE FROM derived WHERE id = ?1", binding: table.id).run()
        self.list?.removeAll { $0 === table }
    }

    /// Moves the place up to which they are built; nil makes them complete.
    func advance(_ tables: [DerivedTable], to place: Int64?) throws(DatabaseError) {
        for table in tables {
            table.builtTo = place
            try self.save(table)
        }
    }

    /// Marks a projection as wrong.
    func fail(_ table: DerivedTable, because reason: String) throws(DatabaseError) {
        table.failure = reason
        try self.clearDebts(of: table)
        try self.save(table)
    }

    private func save(_ table: DerivedTable) throws(DatabaseError) {
        try self.database.statement(
            "UPDATE derived SET built_to = ?2, failure = ?3 WHERE id = ?1", binding: table.id, table.builtTo,
            table.failure
        ).run()
    }
}

// MARK: - Debts

extension DerivedTables {
    /// The maximum number of records with a debt in one table. With more, it is built again: that costs little more, and in slices.
    static let debtLimit = 256

    /// Leaves a debt for a changed record.
    ///
    /// - Returns: False if the table has too many debts for another one.
    func leaveDebt(_ pk: String, in table: DerivedTable) throws(DatabaseError) -> Bool {
        guard table.debts < Self.debtLimit else { return false }
        try self.database.statement("INSERT OR IGNORE INTO debt VALUES (?1, ?2)", binding: table.id, pk).run()
        table.debts += self.database.changes
        return true
    }

    /// The pks of the records with a debt.
    func debts(in table: DerivedTable) throws(DatabaseError) -> [String] {
        try self.database.statement("SELECT pk FROM debt WHERE derived = ?1 ORDER BY pk", binding: table.id)
            .rows { (columns) throws(DatabaseError) in try columns.text() }
    }

    /// Removes the debts of a table that has been corrected, or is built again.
    func clearDebts(of table: DerivedTable) throws(DatabaseError) {
        guard table.debts > 0 else { return }
        try self.database.statement("DELETE FROM debt WHERE derived = ?1", binding: table.id).run()
        table.debts = 0
    }

    /// Empties indexes, so that they are built again in slices.
    func restart(_ indexes: [DerivedTable]) throws(DatabaseError) {
        for index in indexes {
            try self.database.execute("DELETE FROM \(index.entries)")
            try self.clearDebts(of: index)
        }
        try self.advance(indexes, to: 0)
    }
}
