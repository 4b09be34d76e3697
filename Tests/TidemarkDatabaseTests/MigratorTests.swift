import TestSupport
import Testing
import TidemarkDatabase

@Suite struct `Migrations` {
    static let steps = [
        DatabaseMigration("make notes", sql: "CREATE TABLE note (pk TEXT PRIMARY KEY); CREATE INDEX i ON note (pk)"),
        DatabaseMigration("add data", sql: "ALTER TABLE note ADD COLUMN data BLOB"),
        DatabaseMigration("fill data") { (database: DatabaseConnection) throws(DatabaseError) in
            try database.execute("UPDATE note SET data = x'7B7D'")
        },
    ]

    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    @Test(arguments: 0...3)
    func `migrations bring a file of every version to the newest`(version: Int) throws {
        let database = try open("a.db", in: self.folder, applicationID: 7)
        try DatabaseMigrator(Array(Self.steps.prefix(version))).migrate(database)
        #expect(try database.userVersion() == Int64(version))
        if version > 0 {
            try database.execute("INSERT INTO note (pk) VALUES ('1')")
        }
        try DatabaseMigrator(Self.steps).migrate(database)
        #expect(try database.userVersion() == 3)
        #expect(try database.integer("SELECT count(*) FROM note") == (version > 0 ? 1 : 0))
    }

    @Test func `a failed migration leaves the file at the previous version and names the step`() throws {
        let database = try open("a.db", in: self.folder)
        let broken = DatabaseMigration("break it", sql: "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1)")
        let error = try #require(throws: DatabaseError.self) {
            try DatabaseMigrator([Self.steps[0], broken]).migrate(database)
        }
        #expect(error.message.contains("“break it” to version 2"))
        #expect(try database.userVersion() == 1)
        #expect(try database.texts("SELECT name FROM sqlite_schema WHERE type = 'table'") == ["note"])
        try DatabaseMigrator(Self.steps).migrate(database)
        #expect(try database.userVersion() == 3)
    }

    @Test(arguments: [DatabaseAccess.readWrite, .readOnly])
    func `migrations refuse a newer file with both versions and do not change it`(access: DatabaseAccess) throws {
        let writer = try open("a.db", in: self.folder)
        try writer.setUserVersion(12)
        let database = try open("a.db", in: self.folder, access: access)
        let error = try #require(throws: DatabaseError.self) { try DatabaseMigrator(Self.steps).migrate(database) }
        #expect(error.code == .newerVersion)
        #expect(error.message.contains("version 12"))
        #expect(error.message.contains("up to 3"))
        #expect(try writer.userVersion() == 12)
        #expect(try writer.integer("SELECT count(*) FROM sqlite_schema") == 0)
    }

    @Test func `migrations report that an old file must be opened for writing`() throws {
        let writer = try open("a.db", in: self.folder)
        try DatabaseMigrator([Self.steps[0]]).migrate(writer)
        let reader = try open("a.db", in: self.folder, access: .readOnly)
        let error = try #require(throws: DatabaseError.self) { try DatabaseMigrator(Self.steps).migrate(reader) }
        #expect(error.code == .readOnly)
        #expect(error.message.contains("version 1"))
        #expect(error.message.contains("version 3"))
    }

    @Test func `migrations need no lock on an up-to-date file`() throws {
        let writer = try open("a.db", in: self.folder)
        try DatabaseMigrator(Self.steps).migrate(writer)
        try writer.begin()
        try DatabaseMigrator(Self.steps).migrate(try open("a.db", in: self.folder, access: .readOnly))
    }
}
