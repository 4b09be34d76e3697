import TestSupport
import Testing
import TidemarkDatabase

@Suite struct `Opening a file` {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test func `a new file keeps a write-ahead log and syncs every commit`() throws {
        let database = try open("new.db", in: self.folder)
        #expect(try database.texts("PRAGMA journal_mode") == ["wal"])
        #expect(try database.integer("PRAGMA synchronous") == 2)
        #expect(try database.integer("PRAGMA foreign_keys") == 1)
        #expect(self.folder.exists("new.db"))
    }

    @Test(arguments: [2, 20, 600, 5000])
    func `a text file is refused with an explanation and not changed`(length: Int) throws {
        let bytes = Array(String(repeating: "notes: milk\n", count: length).utf8.prefix(length))
        try self.folder.write(bytes, to: "notes.txt")
        let error = try #require(throws: DatabaseError.self) {
            _ = try open("notes.txt", in: self.folder, applicationID: 7)
        }
        #expect(error.code == .notADatabase)
        #expect(error.message.contains(self.folder.path("notes.txt")))
        #expect(error.message.contains("text file"))
        #expect(try self.folder.read("notes.txt") == bytes)
    }

    @Test func `an empty file becomes a database`() throws {
        try self.folder.write([], to: "empty.db")
        let database = try open("empty.db", in: self.folder, applicationID: 7)
        #expect(try database.applicationID() == 7)
    }

    @Test(arguments: ["PRAGMA application_id = 99", "PRAGMA user_version = 3", "CREATE TABLE theirs (x)"])
    func `another program's database is refused and not changed`(sql: String) throws {
        let theirs = try open("theirs.db", in: self.folder)
        try theirs.execute("PRAGMA journal_mode = DELETE; CREATE TABLE t (x); DROP TABLE t; \(sql)")
        theirs.close()
        let before = try self.folder.read("theirs.db")

        let error = try #require(throws: DatabaseError.self) {
            _ = try open("theirs.db", in: self.folder, applicationID: 7)
        }
        #expect(error.code == .foreignDatabase)
        #expect(try self.folder.read("theirs.db") == before)
    }

    @Test func `a database with the same application id is opened again`() throws {
        try open("ours.db", in: self.folder, applicationID: -5).execute("CREATE TABLE t (x)")
        #expect(try open("ours.db", in: self.folder, applicationID: -5).applicationID() == -5)
    }

    @Test func `a missing folder and a folder cannot be opened`() throws {
        for name in ["no/such/folder.db", "."] {
            let error = try #require(throws: DatabaseError.self) { _ = try open(name, in: self.folder) }
            #expect(error.code == .cannotOpen)
            #expect(error.message.contains("Check that the folder exists"))
        }
    }

    @Test(arguments: ["", "a\0b"])
    func `an invalid file name is refused before SQLite interprets it`(path: String) throws {
        let error = try #require(throws: DatabaseError.self) { _ = try DatabaseConnection(.file(path)) }
        #expect(error.code == .cannotOpen)
    }

    @Test func `a missing file cannot be opened for reading`() throws {
        let error = try #require(throws: DatabaseError.self) {
            _ = try open("missing.db", in: self.folder, access: .readOnly)
        }
        #expect(error.code == .cannotOpen)
        #expect(!self.folder.exists("missing.db"))
    }

    @Test func `a file that is opened for reading can't be written`() throws {
        let writer = try open("a.db", in: self.folder, applicationID: 7)
        try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES ('kept')")
        let reader = try open("a.db", in: self.folder, access: .readOnly, applicationID: 7)
        #expect(try reader.texts("SELECT x FROM t") == ["kept"])

        let error = try #require(throws: DatabaseError.self) { try reader.execute("DELETE FROM t") }
        #expect(error.code == .readOnly)
        #expect(error.message.contains("Open it for writing"))
        #expect(try reader.texts("SELECT x FROM t") == ["kept"])
    }

    @Test func `a closed connection reports that it is closed`() throws {
        let database = try open("a.db", in: self.folder)
        try database.execute("CREATE TABLE t (x)")
        database.close()
        let error = try #require(throws: DatabaseError.self) { try database.execute("SELECT 1") }
        #expect(error.message.contains("closed"))
        #expect(database.changes == 0)
        #expect(!database.isInTransaction)
    }
}

@Suite struct `Two connections on one file` {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test(arguments: [true, false])
    func `an exclusive owner locks out all other connections until it closes`(fileIsNew: Bool) throws {
        if !fileIsNew {
            try open("a.db", in: self.folder).execute("CREATE TABLE t (x)")
        }
        let owner = try open("a.db", in: self.folder, sharing: .none)
        for access in [DatabaseAccess.readWrite, .readOnly] {
            let error = try #require(throws: DatabaseError.self) {
                _ = try open("a.db", in: self.folder, access: access)
            }
            #expect(error.code == .busy)
            #expect(error.message.contains("Another process"))
        }
        try owner.execute("CREATE TABLE u (x)")
        owner.close()
        try open("a.db", in: self.folder).execute("INSERT INTO u VALUES (1)")
    }

    @Test func `an exclusive owner is refused while another connection is open`() throws {
        let other = try open("a.db", in: self.folder)
        try other.execute("CREATE TABLE t (x)")
        let error = try #require(throws: DatabaseError.self) {
            _ = try open("a.db", in: self.folder, sharing: .none)
        }
        #expect(error.code == .busy)
        try other.execute("INSERT INTO t VALUES (1)")
    }

    @Test func `connections of one process share a process-owned file without an shm file`()
        throws
    {
        let writer = try open("a.db", in: self.folder, sharing: .process)
        try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        let reader = try open("a.db", in: self.folder, sharing: .process)
        try reader.giveUpWriting()
        try writer.begin()
        try writer.execute("INSERT INTO t VALUES (2)")
        #expect(try reader.integer("SELECT count(*) FROM t") == 1)
        try writer.commit()
        #expect(try reader.integer("SELECT count(*) FROM t") == 2)
        #expect(throws: DatabaseError.self) { try reader.execute("INSERT INTO t VALUES (3)") }
        #expect(self.folder.exists("a.db-wal"))
        #expect(!self.folder.exists("a.db-shm"), "without it no other process can take part")
    }

    @Test func `a process-owned file is locked for every other process`() async throws {
        let owner = try open("a.db", in: self.folder, sharing: .process)
        try owner.execute("CREATE TABLE t (x)")
        let reader = try open("a.db", in: self.folder, sharing: .process)
        let path = self.folder.path("a.db")
        for _ in 0..<2 {
            await #expect(processExitsWith: .success) { [path = path as String] in
                for sharing in [DatabaseSharing.all, .process, .none] {
                    let error = #expect(throws: DatabaseError.self) {
                        _ = try DatabaseConnection(.file(path), sharing: sharing, busyTimeout: .zero)
                    }
                    #expect(error?.code == .busy)
                }
            }
            // The first connection to close does not release the lock of the other one.
            reader.close()
        }
        owner.close()
        await #expect(processExitsWith: .success) { [path = path as String] in
            try DatabaseConnection(.file(path), sharing: .process, busyTimeout: .zero).close()
        }
    }

    @Test func `a process can claim a file once, by any path, until the claim is released`() throws {
        try open("a.db", in: self.folder).execute("CREATE TABLE t (x)")
        let claim = try DatabaseClaim(self.folder.path("a.db"))
        let error = try #require(throws: DatabaseError.self) { try DatabaseClaim(self.folder.path("./a.db")) }
        #expect(error.code == .busy)
        claim.release()
        claim.release()
        do {
            let other = try DatabaseClaim(self.folder.path("a.db"))
            #expect(throws: DatabaseError.self) { try DatabaseClaim(self.folder.path("a.db")) }
            withExtendedLifetime(other) {}
        }
        _ = try DatabaseClaim(self.folder.path("a.db"))
    }

    @Test func `a second writer gets busy, and a reader does not`() throws {
        let first = try open("a.db", in: self.folder)
        try first.execute("CREATE TABLE t (x); INSERT INTO t VALUES ('before')")
        let second = try open("a.db", in: self.folder)
        try first.begin()
        try first.execute("INSERT INTO t VALUES ('during')")

        let error = try #require(throws: DatabaseError.self) { try second.transaction {} }
        #expect(error.code == .busy)
        #expect(try second.texts("SELECT x FROM t") == ["before"])
        try first.commit()
        #expect(try second.texts("SELECT x FROM t") == ["before", "during"])
        try second.transaction {}
    }

    @Test func `a snapshot does not see later commits`() throws {
        let writer = try open("a.db", in: self.folder)
        try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        let reader = try open("a.db", in: self.folder)
        let counts = try reader.snapshot { () throws(DatabaseError) in
            let before = try reader.integer("SELECT count(*) FROM t")
            try writer.execute("INSERT INTO t VALUES (2)")
            return [before, try reader.integer("SELECT count(*) FROM t")]
        }
        #expect(counts == [1, 1])
        #expect(try reader.integer("SELECT count(*) FROM t") == 2)
    }
}
