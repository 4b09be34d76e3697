import TidemarkServer

/// Migrates the tables of a database to the current version, once, even if many processes start at the same time.
struct PostgresMigration {
    let connection: PostgresConnection
    let address: PostgresAddress
    let use: ServerStorageUse
    let schema: PostgresSchema

    /// The advisory lock of a migration: “tidemark” in ASCII.
    private static let lock: Int64 = 0x7469_6465_6D61_726B

    /// Makes missing tables, if the use may change them. A user with rights on rows only can use tables that another user made.
    ///
    /// - Parameters:
    ///   - epoch: Makes the name of the history of a new database.
    ///   - run: Makes the name of its first incarnation.
    func run(epoch: () -> String, run: () -> String) throws(ServerStorageError) {
        do throws(PostgresFailure) {
            let before = try self.versionBefore()
            guard before != self.schema.version, self.use.mayChange(tablesOfVersion: before) else { return }
            do throws(PostgresFailure) {
                try self.migrate(locking: true, epoch: epoch(), run: run())
            } catch  where ["42883", "0A000"].contains(error.state) {
                // A database without advisory locks: the row of the version serves as the lock, once it exists. If several
                // processes make the tables at the same moment, all except one fail, and find the tables when they restart.
                try self.connection.execute("ROLLBACK")
                try self.migrate(locking: false, epoch: epoch(), run: run())
            }
        } catch {
            _ = try? self.connection.execute("ROLLBACK")
            throw ServerStorageError(error, at: self.address)
        }
    }

    /// The version of the tables; 0 if there are none.
    private func versionBefore() throws(PostgresFailure) -> Int64 {
        do throws(PostgresFailure) {
            return try self.version(PostgresSchema.look)
        } catch  where error.state == "42P01" {
            return 0
        }
    }

    private func version(_ statement: PostgresStatement) throws(PostgresFailure) -> Int64 {
        let found = try self.connection.run(statement, [])
        return found.count == 0 ? 0 : (try? found.number(0, 0)) ?? 0
    }

    private func migrate(locking: Bool, epoch: String, run: String) throws(PostgresFailure) {
        // A process that waits here waits for another migration, which has no time limit.
        try self.connection.withoutHurry { () throws(PostgresFailure) in
            try self.changeTables(locking: locking, epoch: epoch, run: run)
        }
    }

    private func changeTables(locking: Bool, epoch: String, run: String) throws(PostgresFailure) {
        try self.connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        try self.connection.execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")
        if locking { _ = try self.connection.run(Self.advisoryLock, [.number(Self.lock)]) }
        try self.connection.execute(Self.serverTable)
        let before = try self.version(Self.lockedVersion)
        // A newer version is refused by the next check.
        for step in self.schema.steps.dropFirst(Int(before)) { try self.connection.execute(step) }
        if before < self.schema.version {
            _ = try self.connection.run(
                Self.note, [.number(self.schema.version), .text(epoch), .text(run)])
        }
        try self.connection.execute("COMMIT")
    }

    private static let advisoryLock = PostgresStatement("advisory lock", "SELECT pg_advisory_xact_lock($1)")
    private static let serverTable = """
        CREATE TABLE IF NOT EXISTS tidemark_server (
            id bigint PRIMARY KEY CHECK (id = 1),
            schema_version bigint NOT NULL,
            epoch text NOT NULL,
            run text NOT NULL
        )
        """
    private static let lockedVersion = PostgresStatement(
        "locked version", "SELECT schema_version FROM tidemark_server WHERE id = 1 FOR UPDATE")
    private static let note = PostgresStatement(
        "note",
        """
        INSERT INTO tidemark_server (id, schema_version, epoch, run) VALUES (1, $1, $2, $3)
        ON CONFLICT (id) DO UPDATE SET schema_version = excluded.schema_version
        """)
}
