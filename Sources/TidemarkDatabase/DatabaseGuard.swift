import CSQLite

/// Checks the parts of statements that another party wrote (`sqlite3_set_authorizer`). Statements of the program itself run
/// without a check.
package final class DatabaseGuard {
    /// A part of a statement.
    package enum Action: Hashable, Sendable {
        /// Reads from any table, or calls a function.
        case read
        /// Inserts into, updates or deletes from a table.
        case write(table: String)
        /// Creates or drops tables, indexes, views or triggers with these names; an index or trigger names its table as well.
        case define([String])
        case pragma(String)
        /// Anything else, as a noun for a message.
        case other(String)
    }

    private var check: ((Action) -> String?)?
    private var refusal: String?

    /// - Parameter connection: A connection that owns the guard.
    init(_ connection: OpaquePointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe sqlite3_set_authorizer(
            connection,
            { context, code, first, second, _, _ in
                guard let context = unsafe context else { return SQLITE_DENY }
                let statementGuard = unsafe Unmanaged<DatabaseGuard>.fromOpaque(context).takeUnretainedValue()
                return unsafe statementGuard.allows(
                    code, first.map { unsafe String(cString: $0) }, second.map { unsafe String(cString: $0) })
                    ? SQLITE_OK : SQLITE_DENY
            }, context)
    }

    /// Runs a body whose statements are checked.
    ///
    /// - Parameter check: Returns why an action is refused; nil allows it.
    fileprivate func run<Result>(
        checking check: @escaping (Action) -> String?, _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        self.check = check
        self.refusal = nil
        defer { self.check = nil }
        do throws(DatabaseError) {
            return try body()
        } catch {
            guard let refusal else { throw error }
            throw DatabaseError(code: .statement, message: refusal, extendedCode: error.extendedCode)
        }
    }

    private func allows(_ code: Int32, _ first: String?, _ second: String?) -> Bool {
        guard let check, let refusal = check(Self.action(code, first, second)) else { return true }
        self.refusal = self.refusal ?? refusal
        return false
    }

    private static func action(_ code: Int32, _ first: String?, _ second: String?) -> Action {
        switch code {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: .read
        case SQLITE_FUNCTION: second?.lowercased() == "load_extension" ? .other("load_extension()") : .read
        case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE: .write(table: first ?? "")
        case SQLITE_CREATE_TABLE, SQLITE_CREATE_VTABLE, SQLITE_CREATE_VIEW, SQLITE_DROP_TABLE, SQLITE_DROP_VTABLE,
            SQLITE_DROP_VIEW, SQLITE_REINDEX:
            .define([first ?? ""])
        case SQLITE_CREATE_INDEX, SQLITE_CREATE_TRIGGER, SQLITE_DROP_INDEX, SQLITE_DROP_TRIGGER:
            .define([first ?? "", second ?? ""])
        case SQLITE_PRAGMA: .pragma(first?.lowercased() ?? "")
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT: .other("a transaction or savepoint")
        case SQLITE_ATTACH, SQLITE_DETACH: .other("ATTACH, DETACH or VACUUM")
        case SQLITE_ALTER_TABLE: .other("ALTER TABLE")
        case SQLITE_ANALYZE: .other("ANALYZE")
        default: .other("a temporary table or another statement of this kind")
        }
    }
}

extension DatabaseConnection {
    /// Runs a body whose statements are checked, also those that virtual tables run for it.
    ///
    /// A statement is checked when it is prepared. So its text must differ from those of other checks, and of the program
    /// itself: the cache has prepared ones.
    ///
    /// - Parameter check: Returns why an action is refused; nil allows it.
    package func checking<Result>(
        _ check: @escaping (DatabaseGuard.Action) -> String?, _ body: () throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        // Made at the first use: with a guard, SQLite calls back for each part of each prepared statement.
        let statementGuard = try self.handle.statementGuard()
        return try statementGuard.run(checking: check, body)
    }
}

extension DatabaseStatement {
    /// Whether the statement changes nothing in the file.
    package var isReadOnly: Bool { unsafe sqlite3_stmt_readonly(self.pointer) != 0 }

    /// The number of its parameters.
    package var parameterCount: Int { unsafe Int(sqlite3_bind_parameter_count(self.pointer)) }

    /// The rest of the text, which SQLite ignores, after the first statement.
    package var ignoredText: Substring.UTF8View {
        let count = unsafe sqlite3_sql(self.pointer).map { unsafe String(cString: $0).utf8.count } ?? 0
        return Substring(self.sql).utf8.dropFirst(count)
    }
}
