import TidemarkServer

/// The tables of the server; a released migration step never changes.
///
/// All keys begin with the account: a database that is spread over several machines keeps an account's rows together by it, and
/// finds them without a query to the other machines. Names are bytes, since they are compared by code point, and may contain
/// U+0000, which text can't. There are no foreign keys: only the transaction that locks a feed writes its rows. The tables of
/// accounts and tokens are small; such a database can copy them to each machine, or keep them on one.
struct PostgresSchema {
    /// Reads the version of the tables and the name of their history.
    static let look = PostgresStatement("look", "SELECT schema_version, epoch FROM tidemark_server WHERE id = 1")
    static let beginRun = PostgresStatement("begin run", "UPDATE tidemark_server SET run = $1 WHERE id = 1")

    /// The tables of this program.
    static let current = PostgresSchema(steps: [Self.firstTables])

    /// The steps from each version to the next; they are only added at the end.
    let steps: [String]

    /// The version of tables with all steps.
    var version: Int64 { Int64(self.steps.count) }

    private static let firstTables = """
        CREATE TABLE tidemark_feed (
            account bytea NOT NULL,
            collection bytea NOT NULL,
            id bigint NOT NULL,
            last bigint NOT NULL DEFAULT 0,
            horizon bigint NOT NULL DEFAULT 0,
            purges bigint NOT NULL DEFAULT 0,
            run text,
            row_count bigint NOT NULL DEFAULT 0,
            byte_count bigint NOT NULL DEFAULT 0,
            PRIMARY KEY (account, collection),
            UNIQUE (account, id)
        );
        CREATE TABLE tidemark_record (
            account bytea NOT NULL,
            feed bigint NOT NULL,
            pk bytea NOT NULL,
            updated_at bigint NOT NULL,
            data bytea,
            PRIMARY KEY (account, feed, pk)
        );
        CREATE UNIQUE INDEX tidemark_record_in_commit_order ON tidemark_record (account, feed, updated_at);
        CREATE INDEX tidemark_tombstone ON tidemark_record (updated_at) WHERE data IS NULL;
        CREATE TABLE tidemark_run (
            account bytea NOT NULL,
            feed bigint NOT NULL,
            after bigint NOT NULL,
            name text NOT NULL,
            PRIMARY KEY (account, feed, after)
        );
        CREATE TABLE tidemark_answer (
            account bytea NOT NULL,
            feed bigint NOT NULL,
            request_id bytea NOT NULL,
            answered_at bigint NOT NULL,
            edit bytea,
            digest text,
            result bytea,
            version bigint,
            is_conflicted boolean NOT NULL DEFAULT false,
            PRIMARY KEY (account, feed, request_id)
        );
        CREATE INDEX tidemark_answer_by_age ON tidemark_answer (answered_at);
        CREATE TABLE tidemark_account (
            id bytea PRIMARY KEY,
            name bytea UNIQUE,
            added_at bigint NOT NULL
        );
        CREATE TABLE tidemark_token (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            account bytea NOT NULL,
            label bytea NOT NULL,
            digest text NOT NULL UNIQUE,
            added_at bigint NOT NULL,
            expires_at bigint
        );
        -- The feeds of removed accounts, until their rows are erased.
        CREATE TABLE tidemark_removed (
            account bytea NOT NULL,
            feed bigint NOT NULL,
            PRIMARY KEY (account, feed)
        );
        """

    /// Refuses tables of another version; the start of a server migrates tables of an older one.
    func check(_ found: Int64, at address: PostgresAddress) throws(ServerStorageError) {
        guard found != self.version else { return }
        guard found < self.version else {
            throw ServerStorageError(
                .newerVersion,
                """
                \(address): the tables are of version \(found), and this program supports up to \(self.version). Start \
                one that is at least as new as the one that made them.
                """)
        }
        throw ServerStorageError(
            .olderVersion,
            """
            \(address): the tables are of version \(found), and this program's are of \(self.version). Start tidemark serve of \
            this version, which changes them, or use the program of the version that made them.
            """)
    }
}
