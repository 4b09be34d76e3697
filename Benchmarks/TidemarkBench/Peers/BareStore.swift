import Foundation
import Tidemark
import TidemarkDatabase

/// Bare SQLite, with a table like that of a store: the upper bound.
struct BareStore {
    let database: DatabaseConnection

    /// Opens a file that has the table.
    init(opening file: URL) throws(DatabaseError) {
        self.database = try DatabaseConnection(.file(file.path), sharing: .none)
        // The same durability and exclusive access as ours, and otherwise the default settings of SQLite.
        try self.database.execute("PRAGMA wal_autocheckpoint = 1000")
    }

    /// Makes a file with the table.
    init(_ file: URL) throws(DatabaseError) {
        try self.init(opening: file)
        try self.database.execute(
            """
            CREATE TABLE record (id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, pk TEXT NOT NULL, state TEXT NOT NULL,
                version TEXT, data BLOB, edited_data BLOB) STRICT;
            CREATE UNIQUE INDEX record_by_pk ON record (collection, pk);
            """)
    }

    /// Inserts each page in one durable transaction, with the bytes of the page.
    func take(_ feed: FeedData) throws {
        for (page, rows) in zip(feed.pages, feed.rows) {
            try self.database.begin()
            let insert = try self.insertion()
            unsafe try page.withUnsafeBytes { bytes in
                for row in rows where !row.isTombstone {
                    let pk = row.pk.dropFirst().dropLast()
                    unsafe try insert.bind(1, text: UnsafeRawBufferPointer(rebasing: bytes[pk]))
                    unsafe try insert.bind(2, text: UnsafeRawBufferPointer(rebasing: bytes[row.version]))
                    unsafe try insert.bind(3, bytes: UnsafeRawBufferPointer(rebasing: bytes[row.data]))
                    try insert.run()
                }
            }
            try self.database.commit()
        }
    }

    /// Rows as one durable transaction.
    func insert(_ rows: [Acknowledger.Row]) throws(DatabaseError) {
        try self.database.begin()
        let insert = try self.insertion()
        for row in rows {
            try insert.bind(1, row.pk)
            try insert.bind(2, row.version)
            try insert.bind(3, row.data)
            try insert.run()
        }
        try self.database.commit()
    }

    /// New values for rows, as one durable transaction.
    func update(_ rows: ArraySlice<Acknowledger.Row>) throws(DatabaseError) {
        try self.database.begin()
        let update = try self.database.statement(
            "UPDATE record SET version = ?2, data = ?3 WHERE collection = 1 AND pk = ?1")
        for row in rows {
            try update.bind(1, row.pk)
            try update.bind(2, row.version)
            try update.bind(3, row.data)
            try update.run()
        }
        try self.database.commit()
    }

    private func insertion() throws(DatabaseError) -> DatabaseStatement {
        try self.database.statement(
            "INSERT OR REPLACE INTO record (collection, pk, state, version, data) VALUES (1, ?1, 'SYNCD', ?2, ?3)")
    }
}

extension Acknowledger.Row {
    /// The row before its edit.
    var atFirst: Self { Self(pk: self.pk, version: "0", data: self.before) }
}
