import TidemarkDatabase

/// Reads the rows of a server's file over a separate connection, or over the storage's connection.
final class SQLiteServerReader: ServerReader {
    let database: DatabaseConnection
    /// Nil in memory.
    private let file: SQLiteServerFile?
    private let name: String

    /// - Parameter name: The name of the history.
    init(_ database: DatabaseConnection, file: SQLiteServerFile?, name: String) {
        self.database = database
        self.file = file
        self.name = name
    }

    func epoch() -> String {
        self.name
    }

    func snapshot<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.file?.beginReading()
        return try self.database.snapshot(failingWith: ServerStorageError.self, work)
    }

    func feed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed? {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(Self.selectFeed, binding: account, collection)
            return try select.step() ? try Self.feed(select, of: account) : nil
        }
    }

    // A constant: SQLite's statement cache compares a text that is built for each request character by character.
    private static let selectFeed =
        "SELECT \(SQLiteServerReader.feedColumns) FROM feed WHERE account = ?1 AND collection = ?2"

    private static let feedColumns = """
        id, last, horizon, purges,
        (SELECT name FROM run WHERE run.feed = feed.id AND after < last ORDER BY after DESC LIMIT 1),
        row_count, byte_count
        """

    /// The feed in a row of ``feedColumns``.
    private static func feed(
        _ select: borrowing DatabaseStatement, of account: String
    ) throws(DatabaseError) -> ServerFeed {
        ServerFeed(
            id: try select.int64(0), account: account, last: try select.int64(1), horizon: try select.int64(2),
            purges: try select.int64(3), run: try select.textOrNull(4), rows: try select.int64(5),
            bytes: try select.int64(6))
    }

    func feeds(
        account: String, limit: Int
    ) throws(ServerStorageError) -> [(collection: String, feed: ServerFeed)] {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                """
                SELECT \(Self.feedColumns), collection FROM feed WHERE account = ?1 ORDER BY collection LIMIT ?2
                """, binding: account, Int64(limit))
            var feeds: [(collection: String, feed: ServerFeed)] = []
            while try select.step() {
                feeds.append((try select.text(7), try Self.feed(select, of: account)))
            }
            return feeds
        }
    }

    func usage(of account: String) throws(ServerStorageError) -> AccountUsage {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT count(*), coalesce(sum(row_count), 0), coalesce(sum(byte_count), 0) FROM feed WHERE account = ?1",
                binding: account)
            guard try select.step() else { return AccountUsage(collections: 0, rows: 0, bytes: 0) }
            return AccountUsage(
                collections: Int(try select.int64(0)), rows: Int(try select.int64(1)),
                bytes: Int(try select.int64(2)))
        }
    }

    func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String? {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT name FROM run WHERE feed = ?1 AND after < ?2 ORDER BY after DESC LIMIT 1", binding: feed.id,
                version)
            return try select.step() ? try select.text(0) : nil
        }
    }

    func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow? {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT updated_at, data FROM record WHERE feed = ?1 AND pk = ?2", binding: feed.id, pk)
            guard try select.step() else { return nil }
            return ServerRow(pk: pk, updatedAt: try select.int64(0), data: try select.bytesOrNull(1))
        }
    }

    func rows(
        in feed: ServerFeed, after version: Int64, visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool
    ) throws(ServerStorageError) {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT pk, updated_at, data FROM record WHERE feed = ?1 AND updated_at > ?2 ORDER BY updated_at",
                binding: feed.id, version)
            var goesOn = true
            while goesOn, try select.step() {
                let version = try select.int64(1)
                try select.lend(text: 0, bytes: 2) { pk, data in goesOn = visit(pk, version, data) }
            }
        }
    }

    /// Counts in the index.
    func countRows(in feed: ServerFeed, after version: Int64) throws(ServerStorageError) -> Int64 {
        try translating { () throws(DatabaseError) in
            let select = try self.database.statement(
                "SELECT count(*) FROM record WHERE feed = ?1 AND updated_at > ?2", binding: feed.id, version)
            return try select.step() ? try select.int64(0) : 0
        }
    }
}
