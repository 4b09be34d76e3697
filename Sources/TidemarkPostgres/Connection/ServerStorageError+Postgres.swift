import TidemarkServer

extension ServerStorageError {
    /// What a failure of a statement means, with nothing of its transaction done.
    init(_ failure: PostgresFailure, at address: PostgresAddress) {
        let said = "\(address): \(failure.message)"
        if failure.isLost {
            self.init(.interrupted, "\(said). The server connects anew; where that fails, it says why.")
            return
        }
        switch failure.state {
        // 23505: two add what there may be once. The other one was first, and whoever tries again sees it.
        case "40001", "40P01", "55006", "23505":
            self.init(.interrupted, "\(said). Another try may do it.")
        case "55P03":
            self.init(.busy, "\(said). Another server process, or somebody with psql, holds these rows; see pg_locks.")
        case "57014":
            self.init(.busy, "\(said). It took longer than it may; see whether the database is busy, or its disk slow.")
        case "42501":
            self.init(
                .notAllowed,
                """
                \(said). Give the user the right to make tables (GRANT CREATE, USAGE ON SCHEMA public TO …), or to read and \
                write those that begin with “tidemark_”.
                """)
        case "42P01", "42703", "3F000":
            self.init(
                .notAServerStore, "\(said). The tables of Tidemark are not there; tidemark serve makes them.")
        case "53100":
            self.init(.full, "\(said). Make room on the disk of the database.")
        case "XX001", "XX002":
            self.init(.corrupt, "\(said). The database is damaged; restore a backup.")
        default:
            self.init(.failed, failure.state.isEmpty ? said : "\(said) (SQLSTATE \(failure.state))")
        }
    }

    /// Why there is no connection. libpq gives no SQLSTATE here, so what to do is read from its words, where these are English.
    init(connecting failure: PostgresFailure, to address: PostgresAddress) {
        let said = "\(address): \(failure.message)"
        let known: [(words: String, code: Code, advice: String)] = [
            (
                "password", .notAllowed,
                "Put the right password into PGPASSWORD or a passfile (~/.pgpass); in an argument others can read it."
            ),
            ("pg_hba.conf", .notAllowed, "Let this user in from here, in pg_hba.conf of the database."),
            ("permission denied", .notAllowed, "Give the user the right to connect to this database."),
            ("role \"", .cannotOpen, "Make the user (createuser), or name another one: postgresql://USER@HOST/NAME."),
            ("does not exist", .cannotOpen, "Make the database (createdb), or name another one after the host."),
            ("read-only", .readOnly, "This one may only be read, as a replica; name the one that may be written to."),
            ("too many", .cannotOpen, "Let the database take more connections: a server process needs seven of them."),
        ]
        guard let match = known.first(where: { failure.message.contains($0.words) }) else {
            self.init(.cannotOpen, "\(said). See whether the database runs there, and can be reached from here.")
            return
        }
        self.init(match.code, "\(said). \(match.advice)")
    }

    /// Nobody knows what became of a commit.
    init(unknown failure: PostgresFailure, at address: PostgresAddress) {
        self.init(
            .unknownOutcome,
            """
            \(address): whether a commit was done is not known (\(failure.message)). Its requests are answered so that they are \
            sent again, which is safe (SPEC W4).
            """)
    }
}
