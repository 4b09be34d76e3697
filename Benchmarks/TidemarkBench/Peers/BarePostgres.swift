import PostgresForTests

/// Bare PostgreSQL, with a table like that of a store: the upper bound.
final class BarePostgres {
    private let client: PostgresClient

    /// Makes the table in an empty database.
    init(_ server: PostgresForTests, _ database: String) throws {
        self.client = try PostgresClient(server.address(of: database))
        try self.client.run(
            """
            CREATE TABLE record (
                collection bigint NOT NULL, pk text NOT NULL, version text NOT NULL, data text NOT NULL,
                PRIMARY KEY (collection, pk));
            PREPARE put (text, text, text) AS INSERT INTO record (collection, pk, version, data) VALUES (1, $1, $2, $3)
            """)
    }

    /// One row as one durable transaction.
    func insert(_ row: Acknowledger.Row) throws {
        let data = String(decoding: row.data, as: UTF8.self).replacing("'", with: "''")
        try self.client.run("EXECUTE put ('\(row.pk)', '\(row.version)', '\(data)')")
    }

    /// Runs `work` with a separate, durable PostgreSQL server and two empty databases.
    static func withDatabases<Outcome>(
        _ work: (PostgresForTests, [String]) async throws -> Outcome
    ) async throws -> Outcome {
        guard PostgresForTests.isInstalled else { throw Unavailable(PostgresForTests.whyNot) }
        let server = try PostgresForTests(settings: ["fsync=on"])
        let databases = try (0..<2).map { _ in try server.make() }
        defer { for database in databases { try? server.drop(database) } }
        return try await work(server, databases)
    }
}
