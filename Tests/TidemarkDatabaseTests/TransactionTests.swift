import TestSupport
import Testing
import TidemarkDatabase

@Suite struct `A transaction` {
    struct Refusal: DatabaseErrorConvertible {
        var cause: DatabaseError?

        init(_ error: DatabaseError) {
            self.cause = error
        }

        init() {
            self.cause = nil
        }
    }

    let database: DatabaseConnection

    init() throws {
        self.database = try DatabaseConnection(.memory)
        try self.database.execute("CREATE TABLE t (x TEXT UNIQUE)")
    }

    private func insert(_ text: String) throws(DatabaseError) {
        let statement = try self.database.statement("INSERT INTO t VALUES (?1)")
        try statement.bind(1, text)
        try statement.run()
    }

    @Test func `a transaction commits when its body returns, and returns the body's result`() throws {
        let count = try self.database.transaction { () throws(DatabaseError) in
            #expect(self.database.isInTransaction)
            try self.insert("a")
            try self.insert("b")
            return self.database.changes
        }
        #expect(count == 1)
        #expect(!self.database.isInTransaction)
        #expect(try self.database.texts("SELECT x FROM t ORDER BY x") == ["a", "b"])
    }

    @Test func `a transaction is rolled back when its body throws`() throws {
        let error = try #require(throws: DatabaseError.self) {
            try self.database.transaction { () throws(DatabaseError) in
                try self.insert("a")
                try self.insert("a")
            }
        }
        #expect(error.code == .constraint)
        #expect(error.extendedCode == 2067)
        #expect(!self.database.isInTransaction)
        #expect(try self.database.texts("SELECT x FROM t").isEmpty)
    }

    @Test func `a transaction throws a body's error of another type`() throws {
        let error = try #require(throws: Refusal.self) {
            try self.database.transaction(failingWith: Refusal.self) { () throws(Refusal) in
                do throws(DatabaseError) { try self.insert("a") } catch { throw Refusal(error) }
                throw Refusal()
            }
        }
        #expect(error.cause == nil)
        #expect(try self.database.texts("SELECT x FROM t").isEmpty)
    }

    @Test func `a transaction converts its own failure into the body's error type`() throws {
        try self.database.begin()
        let error = try #require(throws: Refusal.self) {
            try self.database.transaction(failingWith: Refusal.self) { () throws(Refusal) in }
        }
        #expect(error.cause?.code == .nestedTransaction)
    }

    @Test func `a transaction inside another one is refused, and the outer one continues`() throws {
        try self.database.transaction { () throws(DatabaseError) in
            try self.insert("outer")
            do throws(DatabaseError) {
                try self.database.transaction { () throws(DatabaseError) in try self.insert("inner") }
                Issue.record("the inner transaction was begun")
            } catch {
                #expect(error.code == .nestedTransaction)
            }
        }
        #expect(try self.database.texts("SELECT x FROM t") == ["outer"])
    }

    @Test func `a transaction with a failed commit is rolled back`() throws {
        try self.database.execute(
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (parent REFERENCES parent DEFERRABLE INITIALLY DEFERRED)
            """)
        let error = try #require(throws: DatabaseError.self) {
            try self.database.transaction { () throws(DatabaseError) in
                try self.database.execute("INSERT INTO child VALUES (1)")
            }
        }
        #expect(error.code == .constraint)
        #expect(!self.database.isInTransaction)
        #expect(try self.database.integer("SELECT count(*) FROM child") == 0)
    }
}

@Suite struct `When the disk is full` {
    @Test func `a full disk rolls the transaction back, and writing works again with room`() throws {
        let folder = try TemporaryFolder()
        let database = try open("a.db", in: folder)
        try database.execute("CREATE TABLE t (x); INSERT INTO t VALUES ('kept')")
        try database.execute("PRAGMA max_page_count = \(try database.integer("PRAGMA page_count") + 8)")

        let error = try #require(throws: DatabaseError.self) {
            try database.transaction { () throws(DatabaseError) in
                for _ in 0..<100 {
                    try database.execute("INSERT INTO t VALUES (randomblob(4000))")
                }
            }
        }
        #expect(error.code == .full)
        #expect(error.message.contains("make room"))
        #expect(!database.isInTransaction)
        #expect(try database.texts("SELECT x FROM t") == ["kept"])

        try database.execute("PRAGMA max_page_count = 1000000")
        try database.transaction { () throws(DatabaseError) in
            try database.execute("INSERT INTO t VALUES ('later')")
        }
        #expect(try database.texts("SELECT x FROM t") == ["kept", "later"])
    }
}

@Suite struct `After a crash` {
    /// Copies the files as they are on disk during a second transaction, which is too large for the cache.
    private func filesOfACrash(in folder: TemporaryFolder) throws {
        let database = try open("a.db", in: folder)
        try database.execute("PRAGMA cache_size = 2; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x, filler)")
        try database.transaction { () throws(DatabaseError) in
            try database.execute("INSERT INTO t VALUES ('committed', randomblob(2000))")
        }
        let committed = try folder.read("a.db-wal").count
        try database.begin()
        for _ in 0..<100 {
            try database.execute("INSERT INTO t VALUES ('open', randomblob(2000))")
        }
        try folder.write(try folder.read("a.db"), to: "b.db")
        try folder.write(try folder.read("a.db-wal"), to: "b.db-wal")
        try #require(try folder.read("b.db-wal").count > committed, "nothing of the open transaction is on disk")
        database.rollback()
    }

    @Test func `a crash keeps committed rows and drops uncommitted ones`() throws {
        let folder = try TemporaryFolder()
        try self.filesOfACrash(in: folder)
        let copy = try open("b.db", in: folder)
        #expect(try copy.texts("SELECT x FROM t") == ["committed"])
        #expect(try copy.texts("PRAGMA integrity_check") == ["ok"])
    }

    @Test(arguments: [0, 1, 31, 32, 33, 500, 4152, 4153, 9000, 20000])
    func `a truncated log gives a state of an earlier commit`(length: Int) throws {
        let folder = try TemporaryFolder()
        try self.filesOfACrash(in: folder)
        try folder.write(try folder.read("b.db-wal").prefix(length), to: "b.db-wal")
        let copy = try open("b.db", in: folder)
        #expect(try copy.texts("PRAGMA integrity_check") == ["ok"])
        let tables = try copy.integer("SELECT count(*) FROM sqlite_schema")
        let rows = tables == 0 ? [] : try copy.texts("SELECT x FROM t")
        #expect([[], ["committed"]].contains(rows))
    }
}
