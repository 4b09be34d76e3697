import TidemarkServer

extension ServerStorageError {
    /// The error for a failed statement; nothing of its transaction was done.
    init(_ failure: PostgresFailure, at address: PostgresAddress) {
        let said = "\(address): \(failure.message)"
        if failure.isLost {
            self.init(.interrupted, "\(said). The server reconnects; if that fails, it reports the reason.")
            return
        }
        switch failure.state {
        // 23505: two transactions inserted the same unique key. The other one was first, and a retry sees its row.
        case "40001", "40P01", "55006", "23505":
            self.init(.interrupted, "\(said). A retry may succeed.")
        case "55P03":
            self.init(.busy, "\(said). Another server process, or a psql session, locks these rows; see pg_locks.")
        case "57014":
            self.init(.busy, "\(said). The time limit is over; check whether the database is busy, or its disk slow.")
        case "42501":
            self.init(
                .notAllowed,
                """
                \(said). Give the user the right to make tables (GRANT CREATE, USAGE ON SCHEMA public TO …), or to read and \
                write those that begin with “tidemark_”.
                """)
        // The tables of the first release have a column that earlier ones had not.
        case "42703" where failure.message.utf8.firstRange(of: "schema_version".utf8) != nil:
            self.init(
                .notAServerStore,
                """
                \(address): these tables were made before the first release of Tidemark, and can't be migrated; they were not \
                changed. Drop all that begin with “tidemark_”, or name another database.
                """)
        case "42P01", "42703", "3F000":
            self.init(
                .notAServerStore, "\(said). The tables of Tidemark are missing; tidemark serve makes them.")
        case "53100":
            self.init(.full, "\(said). Make room on the disk of the database.")
        case "XX001", "XX002":
            self.init(.corrupt, "\(said). The database is damaged; restore a backup.")
        default:
            self.init(.failed, failure.state.isEmpty ? said : "\(said) (SQLSTATE \(failure.state))")
        }
    }

    /// The error for a failed connection attempt. libpq gives no SQLSTATE here, so the advice depends on its message, if it is
    /// in English.
    init(connecting failure: PostgresFailure, to address: PostgresAddress) {
        let said = "\(address): \(failure.message)"
        let known: [(words: String, code: Code, advice: String)] = [
            (
                "password", .notAllowed,
                "Put the right password into PGPASSWORD or a passfile (~/.pgpass); other users can read an argument."
            ),
            ("pg_hba.conf", .notAllowed, "Allow this user from this host, in pg_hba.conf of the database."),
            ("permission denied", .notAllowed, "Give the user the right to connect to this database."),
            ("role \"", .cannotOpen, "Make the user (createuser), or use another one: postgresql://USER@HOST/NAME."),
            ("does not exist", .cannotOpen, "Make the database (createdb), or use another name after the host."),
            ("read-only", .readOnly, "This database is read-only, such as a replica; use the primary."),
            ("too many", .cannotOpen, "Allow more connections to the database: a server process needs seven of them."),
        ]
        guard let match = known.first(where: { failure.message.contains($0.words) }) else {
            self.init(.cannotOpen, "\(said). Check whether the database runs there, and is reachable from here.")
            return
        }
        self.init(match.code, "\(said). \(match.advice)")
    }

    /// The error for a commit with an unknown outcome.
    init(unknown failure: PostgresFailure, at address: PostgresAddress) {
        self.init(
            .unknownOutcome,
            """
            \(address): the outcome of a commit is unknown (\(failure.message)). The answers make the clients send \
            its requests again, which is safe (W4).
            """)
    }
}
