import Foundation
import Tidemark
import TidemarkDatabase

/// Bare SQLite with a table like that of a store, and three indexes of JSON expressions. With the pk as the last column of each,
/// as in ours, records with equal values have the same order on every device; without it they have the order of their rows.
struct BareIndexes {
    private let database: DatabaseConnection

    /// Opens a file that has the table.
    init(opening file: URL) throws(DatabaseError) {
        self.database = try BareStore(opening: file).database
        // Without it SQLite refuses its own JSON functions in an index.
        try self.database.execute("PRAGMA trusted_schema = ON")
    }

    /// Makes a file with the table.
    init(_ file: URL, withPK: Bool) throws(DatabaseError) {
        let pk = withPK ? ", pk" : ""
        try self.init(opening: file)
        // SQLite's JSON functions read text, and no blobs.
        try self.database.execute(
            """
            CREATE TABLE record (id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, pk TEXT NOT NULL, state TEXT NOT NULL,
                version TEXT, data TEXT, edited_data BLOB) STRICT;
            CREATE UNIQUE INDEX record_by_pk ON record (collection, pk);
            CREATE INDEX by_due ON record (collection, json_extract(data, '$.done'), json_extract(data, '$.due')\(pk));
            CREATE INDEX by_title ON record (collection, json_extract(data, '$.title')\(pk));
            CREATE INDEX by_priority ON record (collection, json_extract(data, '$.priority'),
                json_extract(data, '$.assignee.id')\(pk));
            """)
    }

    /// Inserts or updates the rows of each page in one durable transaction, with the bytes of the page.
    func take(_ feed: FeedData) throws {
        for (page, rows) in zip(feed.pages, feed.rows) {
            try self.database.begin()
            let insert = try self.database.statement(
                """
                INSERT INTO record (collection, pk, state, version, data) VALUES (1, ?1, 'SYNCD', ?2, ?3)
                ON CONFLICT (collection, pk) DO UPDATE SET version = excluded.version, data = excluded.data
                """)
            unsafe try page.withUnsafeBytes { bytes in
                for row in rows where !row.isTombstone {
                    let pk = row.pk.dropFirst().dropLast()
                    unsafe try insert.bind(1, text: UnsafeRawBufferPointer(rebasing: bytes[pk]))
                    unsafe try insert.bind(2, text: UnsafeRawBufferPointer(rebasing: bytes[row.version]))
                    unsafe try insert.bind(3, text: UnsafeRawBufferPointer(rebasing: bytes[row.data]))
                    try insert.run()
                }
            }
            try self.database.commit()
        }
    }
}
