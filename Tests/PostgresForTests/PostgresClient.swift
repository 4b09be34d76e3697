import CPostgres

/// A connection with which a test reads the tables or locks them.
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

    /// Runs SQL, and returns the first column of the result; null is an empty text.
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
