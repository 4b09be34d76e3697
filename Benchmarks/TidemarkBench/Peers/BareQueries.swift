import Foundation
import TidemarkDatabase

/// Bare SQLite with the records of a store, and an index of two of their members as columns.
struct BareQueries {
    private let database: DatabaseConnection
    private let (from, pageSize, pages, counts): (String, Int, Int, Int)

    /// Makes a file from that of a store.
    init(
        _ file: URL, copying store: URL, from: String, pageSize: Int, _ pages: Int, _ counts: Int
    ) throws(DatabaseError) {
        self.database = try BareStore(opening: file).database
        (self.from, self.pageSize, self.pages, self.counts) = (from, pageSize, pages, counts)
        try self.database.execute(
            """
            CREATE TABLE record (id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, pk TEXT NOT NULL, state TEXT NOT NULL,
                version TEXT, data BLOB, edited_data BLOB, done INTEGER, due TEXT) STRICT;
            ATTACH '\(store.path)' AS store;
            INSERT INTO record (id, collection, pk, state, version, data, done, due)
                SELECT id, collection, pk, state, version, data, json_extract(CAST(data AS TEXT), '$.done'),
                json_extract(CAST(data AS TEXT), '$.due') FROM store.record ORDER BY id;
            DETACH store;
            CREATE UNIQUE INDEX record_by_pk ON record (collection, pk);
            CREATE INDEX by_due ON record (collection, done, due, pk);
            """)
    }

    /// Reads some pages, one after the other.
    ///
    /// - Parameter use: Uses the bytes of a record.
    /// - Returns: The number of bytes of their pks.
    func readPages(_ use: ([UInt8]) throws -> Void) throws -> Int {
        let statement = try self.database.statement(
            """
            SELECT due, pk, state, version, data FROM record WHERE collection = 1 AND done = 0 AND (due, pk) > (?1, ?2)
            ORDER BY due, pk LIMIT ?3
            """)
        var (due, pk, bytes) = (self.from, "", 0)
        for _ in 0..<self.pages {
            try statement.bind(1, due)
            try statement.bind(2, pk)
            // One more record shows whether there is another page.
            try statement.bind(3, Int64(self.pageSize + 1))
            var rows: [(due: String, pk: String, state: String, version: String, data: [UInt8])] = []
            while try statement.step() {
                rows.append(
                    (
                        try statement.text(0), try statement.text(1), try statement.text(2), try statement.text(3),
                        try statement.bytes(4)
                    ))
            }
            rows.removeLast()
            guard let last = rows.last else { break }
            (due, pk) = (last.due, last.pk)
            for row in rows {
                try use(row.data)
                bytes += row.pk.utf8.count
            }
        }
        return bytes
    }

    func readCounts() throws -> Int {
        let statement = try self.database.statement(
            "SELECT count(*) FROM record WHERE collection = 1 AND done = 0 AND due >= ?1")
        var count = 0
        for _ in 0..<self.counts {
            try statement.bind(1, self.from)
            while try statement.step() { count += Int(try statement.int64(0)) }
        }
        return count
    }
}
