import TestSupport
import Testing
import TidemarkDatabase

@Suite struct `A statement` {
    let database: DatabaseConnection

    init() throws {
        self.database = try DatabaseConnection(.memory)
        try self.database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
    }

    /// Inserts the value that `bind` binds, and returns a statement at its row.
    private func kept(_ bind: (DatabaseStatement) throws -> Void) throws -> DatabaseStatement {
        let insert = try self.database.statement("INSERT INTO t (x) VALUES (?1)")
        try bind(insert)
        try insert.run()
        let select = try self.database.statement("SELECT x, typeof(x) FROM t WHERE id = ?1")
        try select.bind(1, self.database.lastInsertRowID)
        try #require(try select.step())
        return select
    }

    @Test(arguments: ["", "plain", "a\0b\0", "e\u{301}", "é", "👩‍👩‍👧", "\u{FEFF}x"])
    func `a statement returns text with its exact UTF-8`(text: String) throws {
        let row = try self.kept { try $0.bind(1, text) }
        #expect(try Array(row.text(0).utf8) == Array(text.utf8))
        #expect(try row.bytes(0) == Array(text.utf8))
        #expect(try row.text(1) == "text")
    }

    @Test func `a statement distinguishes two spellings of one letter`() throws {
        try self.database.execute("CREATE TABLE k (pk TEXT PRIMARY KEY)")
        let insert = try self.database.statement("INSERT INTO k VALUES (?1)")
        for key in ["é", "e\u{301}", "a", "a\0", "a\0b"] {
            try insert.bind(1, key)
            try insert.run()
        }
        #expect(try self.database.integer("SELECT count(*) FROM k") == 5)
        let select = try self.database.statement("SELECT pk FROM k WHERE pk = ?1")
        try select.bind(1, "a\0")
        #expect(try select.step())
        #expect(try select.bytes(0) == [0x61, 0])
        #expect(try !select.step())
    }

    @Test(arguments: [[], [0], [0xFF, 0, 0xFE], [UInt8](repeating: 7, count: 100_000)])
    func `a statement returns bytes, and an empty blob is not null`(bytes: [UInt8]) throws {
        let row = try self.kept { try $0.bind(1, bytes) }
        #expect(try row.bytes(0) == bytes)
        #expect(try row.text(1) == "blob")
    }

    @Test func `a statement binds slices of a page, copied or in place`() throws {
        let page = Array(#"{"pk":"é1","data":{"a":1}}"#.utf8)
        let copied = try self.kept { try $0.bind(1, page[19...]) }
        #expect(try copied.bytes(0) == Array(page[19...]))
        copied.reset()

        try page.withUnsafeBytes { buffer in
            let row = try self.kept { try $0.bind(1, bytes: UnsafeRawBufferPointer(rebasing: buffer[19...])) }
            #expect(try row.bytes(0) == Array(page[19...]))
            #expect(try row.text(1) == "blob")
        }
        try page.withUnsafeBytes { buffer in
            let row = try self.kept { try $0.bind(1, text: UnsafeRawBufferPointer(rebasing: buffer[7..<10])) }
            #expect(try row.text(0) == "é1")
            #expect(try row.text(1) == "text")
        }
        let empty = try self.kept { try $0.bind(1, text: UnsafeRawBufferPointer(start: nil, count: 0)) }
        #expect(try empty.text(0) == "")
    }

    @Test(arguments: [Int64.min, -1, 0, 1_763_000_000_000_000, .max])
    func `a statement returns whole numbers`(number: Int64) throws {
        #expect(try self.kept { try $0.bind(1, number) }.int64(0) == number)
    }

    @Test func `a statement returns null as nil`() throws {
        let row = try self.kept { try $0.bindNull(1) }
        #expect(row.isNull(0))
        #expect(try row.textOrNull(0) == nil)
        #expect(try row.int64OrNull(0) == nil)
        #expect(try row.bytesOrNull(0) == nil)
        #expect(try self.kept { try $0.bind(1, nil as String?) }.isNull(0))
        #expect(try self.kept { try $0.bind(1, nil as Int64?) }.isNull(0))
        #expect(try self.kept { try $0.bind(1, nil as [UInt8]?) }.isNull(0))
    }

    @Test func `the error of a wrong type names the column`() throws {
        try self.database.execute("INSERT INTO t VALUES (1, 'text')")
        let row = try self.database.statement("SELECT id AS number, x AS word, CAST(x'FF' AS TEXT) AS broken FROM t")
        try #require(try row.step())
        let word = try #require(throws: DatabaseError.self) { _ = try row.int64(1) }
        #expect(word.code == .unexpectedValue)
        #expect(word.message.contains("column “word” holds text where a whole number is expected"))
        let number = try #require(throws: DatabaseError.self) { _ = try row.bytes(0) }
        #expect(number.message.contains("column “number” holds a whole number"))
        let broken = try #require(throws: DatabaseError.self) { _ = try row.text(2) }
        #expect(broken.message.contains("not UTF-8"))
    }

    @Test func `two callers of the same SQL have separate statements`() throws {
        try self.database.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
        let outer = try self.database.statement("SELECT x FROM t ORDER BY id")
        var pairs: [String] = []
        while try outer.step() {
            let inner = try self.database.statement("SELECT x FROM t ORDER BY id")
            while try inner.step() {
                pairs.append(try outer.text(0) + inner.text(0))
            }
        }
        #expect(pairs == ["aa", "ab", "ba", "bb"])
    }

    @Test func `a cached statement has no bindings of its last caller`() throws {
        _ = try self.kept { try $0.bind(1, "mine") }
        #expect(try self.kept { _ in }.isNull(0))
    }

    @Test func `an unfinished statement does not keep its read transaction open`() throws {
        let folder = try TemporaryFolder()
        let reader = try open("a.db", in: folder)
        try reader.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
        #expect(try reader.statement("SELECT x FROM t").step())
        // A log can only be truncated while no connection reads from it.
        let writer = try open("a.db", in: folder)
        try writer.execute("INSERT INTO t VALUES (3)")
        #expect(try writer.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0)
        #expect(try folder.read("a.db-wal").isEmpty)
    }

    @Test func `a statement can run again after a failure`() throws {
        let insert = try self.database.statement("INSERT INTO t VALUES (?1, 'x')")
        try insert.bind(1, 1)
        try insert.run()
        #expect(throws: DatabaseError.self) { try insert.run() }
        try insert.bind(1, 2)
        try insert.run()
        #expect(try self.database.integer("SELECT count(*) FROM t") == 2)
    }

    @Test func `a statement can outlive its connection object`() throws {
        let statement = try DatabaseConnection(.memory).statement("SELECT 'alive'")
        #expect(try statement.step())
        #expect(try statement.text(0) == "alive")
    }

    @Test func `the error of an invalid statement names the SQL`() throws {
        for sql in ["SELEC 1", "SELECT x FROM missing", "-- nothing"] {
            let error = try #require(throws: DatabaseError.self) { _ = try self.database.statement(sql) }
            #expect(error.code == .statement)
            #expect(error.message.contains(sql))
        }
    }
}
