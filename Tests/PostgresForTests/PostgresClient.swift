import CPostgres

/// A connection with which a test reads the tables, writes to them or locks them.
package final class PostgresClient {
    private let connection: OpaquePointer?

    package init(_ address: String) throws {
        self.connection = PQconnectdb(address)
        tidemark_pq_be_quiet(self.connection)
        guard PQstatus(self.connection) == CONNECTION_OK else { throw PostgresTrouble(self.message) }
    }

    deinit {
        PQfinish(self.connection)
    }

    private var message: String { String(cString: PQerrorMessage(self.connection)) }

    /// Runs SQL, and returns the first column of the result; null is an empty text. Several statements are one transaction, and the
    /// result is that of the last one.
    @discardableResult
    package func run(_ sql: String) throws -> [String] {
        let result = PQexec(self.connection, sql)
        defer { PQclear(result) }
        guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else {
            let state = tidemark_pq_state_of(result).map { String(cString: $0) }
            throw PostgresTrouble("\(sql): \(self.message)", state: state ?? "", message: self.message)
        }
        return (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
    }

    /// Quotes a text as a literal of SQL. A text with U+0000 is an error, as it is one of the database.
    package func literal(_ text: String) throws -> String {
        guard !text.utf8.contains(0) else {
            let message = "A text has no U+0000."
            throw PostgresTrouble(message, state: "22021", message: message)
        }
        guard let quoted = PQescapeLiteral(self.connection, text, text.utf8.count) else {
            throw PostgresTrouble(self.message)
        }
        defer { PQfreemem(quoted) }
        return String(cString: quoted)
    }
}
