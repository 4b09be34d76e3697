import CPostgres

/// A connection that a test looks at the tables with, or holds them.
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

    /// Runs SQL, and gives the first column of what it finds; null is an empty text.
    @discardableResult
    package func run(_ sql: String) throws -> [String] {
        let result = PQexec(self.connection, sql)
        defer { PQclear(result) }
        guard [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result)) else {
            throw PostgresTrouble("\(sql): \(self.message)")
        }
        return (0..<PQntuples(result)).map { String(cString: PQgetvalue(result, $0, 0)) }
    }
}
