import TidemarkDatabase
public import TidemarkRules

/// Runs SQL of the app on the tables of a ``Projection``; only during the call that it is passed to.
///
/// Statements are prepared once and cached, so values belong into parameters. All of the store's tables can be read, but their
/// columns may change with each version. Refused are writes to tables of others, transactions and savepoints, `ATTACH`,
/// `ALTER TABLE`, temporary tables, pragmas that write, and the words `AUTOINCREMENT`, `REFERENCES` and `ROLLBACK`: they could
/// change or stop the store's own transaction. Tables are created and dropped in ``Projection/setUp(_:)`` only.
public final class ProjectionTables {
    /// A value in a table.
    public enum Value: Hashable, Sendable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob([UInt8])
    }

    /// The call in which the SQL runs.
    enum Use {
        case none, setUp, update, read
    }

    private let database: DatabaseConnection

    /// The table of the projection, `app_<name>`; empty for one that only reads.
    private let table: String
    private var use = Use.none
    private var checked: Set<String> = []

    /// A failure of the file, which the store's transaction has to end with, even if the app's code ignores it.
    private var failure: DatabaseError?

    init(_ table: String, on database: DatabaseConnection) {
        self.table = table
        self.database = database
    }

    /// Runs one statement, and ignores its rows.
    ///
    /// ```swift
    /// func count(_ pk: String, in tables: ProjectionTables) throws {
    ///     try tables.run("INSERT OR REPLACE INTO app_seen (pk, times) VALUES (?1, ?2)", .text(pk), 1)
    /// }
    /// ```
    ///
    /// - Parameter values: The values of `?1`, `?2` and so on.
    /// - Throws: ``TidemarkError/Code/invalidSQL``, and the errors of the store.
    public func run(_ sql: String, _ values: Value...) throws(TidemarkError) {
        try self.perform(sql, values) { (statement) throws(DatabaseError) in try statement.run() }
    }

    /// Runs one statement, and returns all of its rows.
    ///
    /// - Parameter values: The values of `?1`, `?2` and so on.
    /// - Throws: ``TidemarkError/Code/invalidSQL``, and the errors of the store.
    public func rows(_ sql: String, _ values: Value...) throws(TidemarkError) -> [[Value]] {
        try self.perform(sql, values) { (statement) throws(DatabaseError) in
            var rows: [[Value]] = []
            while try statement.step() {
                var row: [Value] = []
                for column in 0..<statement.columnCount { row.append(try Value(statement, column)) }
                rows.append(row)
            }
            return rows
        }
    }
}

// MARK: - The calls of the app's code

extension ProjectionTables {
    /// Calls code of the app.
    ///
    /// - Returns: The error that it threw; nil if it threw none.
    /// - Throws: A failure of the file.
    func use<Value>(
        for use: Use, _ body: (ProjectionTables) throws -> Value
    ) throws(DatabaseError) -> Result<Value, any Error> {
        self.use = use
        self.failure = nil
        defer { self.use = .none }
        let result = Result { try body(self) }
        if let failure { throw failure }
        return result
    }
}

// MARK: - Checks

extension ProjectionTables {
    private func perform<Result>(
        _ sql: String, _ values: [Value], _ body: (DatabaseStatement) throws(DatabaseError) -> Result
    ) throws(TidemarkError) -> Result {
        if let failure { throw TidemarkError(failure) }
        guard self.use != .none else {
            throw TidemarkError(
                .invalidSQL, "The tables were used after the call that they were passed to. Use them only during it.")
        }
        if let refusal = self.refusal(ofText: sql) { throw self.error(refusal, sql) }
        let use = self.use
        do throws(DatabaseError) {
            return try self.database.checking({ self.refusal(of: $0, use) }) { () throws(DatabaseError) in
                // The cache has statements by their text, and this one was checked for this use.
                let statement = try self.database.statement("/* \(self.table) \(use) */ \(sql)")
                try self.check(statement, sql, values.count)
                for (number, value) in values.enumerated() { try value.bind(to: statement, number + 1) }
                return try body(statement)
            }
        } catch {
            // If the transaction was ended, whatever the reason, nothing of it may be committed.
            let isEnded = use != .read && !self.database.isInTransaction
            if isEnded || Self.fileFailures.contains(error.code) { self.failure = error }
            let code = self.failure == nil ? .invalidSQL : TidemarkError(error).code
            throw TidemarkError(code, error.message, cause: error)
        }
    }

    private func check(_ statement: DatabaseStatement, _ sql: String, _ count: Int) throws(DatabaseError) {
        guard statement.ignoredText.allSatisfy({ " \n\r\t;".utf8.contains($0) }) else {
            throw self.failure("only the first of several statements would run. Run each by itself", sql)
        }
        guard statement.parameterCount == count else {
            throw self.failure(
                "it has \(statement.parameterCount) parameters, and there are \(count) values. Pass one for each", sql)
        }
        guard self.use != .read || statement.isReadOnly else { throw self.failure(Self.readsOnly, sql) }
        if self.checked.count >= Self.mostChecked { self.checked = [] }
        self.checked.insert(sql)
    }

    /// The maximum number of texts that are remembered as checked.
    private static let mostChecked = 128

    /// Failures that are not those of the app's SQL. A damaged table of the app is: it is built again.
    private static let fileFailures: Set<DatabaseError.Code> = [
        .busy, .full, .readOnly, .cannotOpen, .io, .outOfMemory, .notADatabase,
    ]

    private func failure(_ reason: String, _ sql: String) -> DatabaseError {
        DatabaseError(code: .statement, message: self.error(reason, sql).message)
    }

    private func error(_ reason: String, _ sql: String) -> TidemarkError {
        TidemarkError(.invalidSQL, "“\(sql)” was not run: \(reason).")
    }

    /// Words of clauses that SQLite does not check separately: the first ends the store's transaction, the second may keep it
    /// from being committed, and the third needs a table of the store.
    private func refusal(ofText sql: String) -> String? {
        guard !self.checked.contains(sql) else { return nil }
        let words = sql.uppercased().split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        guard let word = words.first(where: { ["ROLLBACK", "REFERENCES", "AUTOINCREMENT"].contains($0) }) else {
            return nil
        }
        return """
            \(word) is not allowed, since it concerns the store's own transaction. Leave it out, and pass texts as values
            """
    }

    private static let readsOnly = "the app's tables are only read here. Write to them in Projection.update"

    /// Why a part of a statement is not allowed; nil if it is.
    private func refusal(of action: DatabaseGuard.Action, _ use: Use) -> String? {
        let reason: String
        switch (action, use) {
        case (.read, _): return nil
        case (.pragma(let name), _):
            guard !Self.pragmas.contains(name) else { return nil }
            reason = """
                PRAGMA \(name) may change the store. Leave it out; allowed are \(Self.pragmas.joined(separator: ", "))
                """
        case (.other(let name), _):
            reason = "\(name) is not allowed, since the store's own transaction is open. Leave it out"
        // By statements that define tables, which are checked by themselves; and by the first use of a virtual table. SQLite
        // refuses all others.
        case (.write(let table), _) where Self.schemas.contains(table): return nil
        case (.write, .read), (.define, .read): reason = Self.readsOnly
        case (.write(let table), _):
            if self.owns(table) { return nil }
            reason = "the table \(table) is not one of this projection, \(self.ownTables). Write only to these"
        case (.define(let names), _):
            if let other = names.first(where: { !self.owns($0) && !Self.isIndexOfKey($0) }) {
                reason = "the name \(other) is not one of this projection, \(self.ownTables). Give it such a name"
            } else if use == .setUp {
                return nil
            } else {
                reason = "tables are made and dropped in Projection.setUp only. Do it there, and increase the version"
            }
        }
        return "The SQL was not run: \(reason)."
    }

    private var ownTables: String { "“\(self.table)” or “\(self.table)_…”" }

    private func owns(_ name: String) -> Bool {
        // As SQLite compares names: by ASCII letters.
        let name = name.utf8.map { ("A"..."Z").contains(UnicodeScalar($0)) ? $0 | 0x20 : $0 }
        return name.elementsEqual(self.table.utf8) || name.starts(with: "\(self.table)_".utf8)
    }

    /// An index that SQLite makes for a key of a table.
    private static func isIndexOfKey(_ name: String) -> Bool { name.utf8.starts(with: "sqlite_autoindex_".utf8) }

    private static let schemas: Set = ["sqlite_master", "sqlite_schema", "sqlite_temp_master"]

    /// Pragmas that change nothing; FTS5 uses the first one.
    private static let pragmas = [
        "data_version", "compile_options", "index_info", "index_list", "index_xinfo", "table_info", "table_list",
        "table_xinfo",
    ]
}

// MARK: - Values

extension ProjectionTables.Value {
    fileprivate init(_ statement: DatabaseStatement, _ column: Int) throws(DatabaseError) {
        switch statement.type(column) {
        case .null: self = .null
        case .integer: self = .integer(try statement.int64(column))
        case .real: self = .real(statement.double(column))
        case .text: self = .text(try statement.text(column))
        case .blob: self = .blob(try statement.bytes(column))
        }
    }

    fileprivate func bind(to statement: DatabaseStatement, _ number: Int) throws(DatabaseError) {
        switch self {
        case .null: try statement.bindNull(number)
        case .integer(let value): try statement.bind(number, value)
        case .real(let value): try statement.bind(number, real: value)
        case .text(let value): try statement.bind(number, value)
        case .blob(let value): try statement.bind(number, value)
        }
    }

    /// The text; nil if it is another value.
    public var text: String? { if case .text(let value) = self { value } else { nil } }

    /// The whole number; nil if it is another value.
    public var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The number as a floating-point number; nil if it is another value.
    public var real: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        case .null, .text, .blob: nil
        }
    }

    /// The bytes; nil if it is another value.
    public var blob: [UInt8]? { if case .blob(let value) = self { value } else { nil } }
}

extension ProjectionTables.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }

    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// A floating-point number.
    public init(floatLiteral value: Double) { self = .real(value) }

    /// 1 or 0, as in SQLite.
    public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }

    /// Null.
    public init(nilLiteral: ()) { self = .null }
}
