import Foundation
import TestSupport
import Testing
import TidemarkDatabase
import TidemarkJSON

@testable import TidemarkServer

@Suite("The server's file of release 0.1.0")
struct FrozenServerFileTests {
    /// A cursor that the server assigned after record 1.
    private static let cursor = "old.8277732b108e.1001.950.first"

    private let folder: TemporaryFolder
    private var path: String { self.folder.path("server.db") }

    init() throws {
        self.folder = try TemporaryFolder()
        try FrozenServerFile.write(to: self.path)
    }

    private func open() throws -> ServerHarness {
        try ServerHarness(.file(self.path), epoch: "new", clock: ManualClock(2_000))
    }

    @Test func `the file keeps all of its rows, with their versions and bytes`() throws {
        let server = try self.open()
        let page = try server.list()
        #expect(
            page.items.map(\.text) == [
                #"{"pk":"1","updated_at":1001,"is_active":true,"data":{"n":1.10,"é":"ß"}}"#,
                #"{"pk":"2","updated_at":1002,"is_active":false}"#,
                #"{"pk":"3","updated_at":1003,"is_active":true,"data":{"t":"x"}}"#,
            ])
        #expect(page.json["epoch"] == "old")
        #expect(page.cursor == "old.8277732b108e.1003.950.second")
        #expect(server.get("1").text.contains(#""data":{"n":1.10,"é":"ß"}"#))
        #expect(server.get("2").status == 410)
        #expect(server.get("4").status == 404)
    }

    @Test func `the file accepts its own cursors (W8)`() throws {
        let server = try self.open()
        let later = try server.list(after: Self.cursor)
        #expect(later.pks == ["2", "3"])
        #expect(try server.list(after: later.cursor).pks == [])
        // Below the horizon, and from before the last purge.
        let old = Self.cursor.replacing("1001.950", with: "800.0")
        #expect(server.send("GET", ServerHarness.target("notes", old, nil)).status == 410)
    }

    @Test func `the file answers by request id, byte for byte, from the edit or its digest (W4)`() throws {
        let server = try self.open()
        let results = try server.post(
            try JSON(
                parsing: #"{"request_id":"r1","pk":"1","sync_state":"EDITED","updated_at":1000,"edited_data":[]}"#),
            deleted("r2", "2", 1000)
        ).results
        #expect(
            results.map(\.json.text) == [
                #"{"request_id":"r1","pk":"1","is_conflicted":true,"item":{"pk":"1","updated_at":1001,"is_active":true,"data":{"n":1.10}},"error":null}"#,
                #"{"request_id":"r2","pk":"2","is_conflicted":false,"item":{"pk":"2","updated_at":1002,"is_active":false},"error":null}"#,
            ])
        #expect(try server.post(deleted("r1", "3", 1003)).results.first?.code == "request-id-reused")
        #expect(try server.post(created("r4", "3", ["t": "x"])).results.first?.version == 1003)
        #expect(try server.post(created("r4", "3", ["t": "y"])).results.first?.code == "request-id-reused")
        #expect(try server.list().pks == ["1", "2", "3"])
    }

    @Test func `the file accepts new edits, and keeps all rows when it is opened again`() throws {
        let version = try {
            let server = try self.open()
            let edit = try JSON(
                parsing: #"""
                    {"request_id":"n","pk":"1","sync_state":"EDITED","updated_at":1001,
                     "edited_data":[{"op":"replace","path":"/n","value":2}]}
                    """#)
            #expect(try server.post(edit).results.first?.isAccepted == true)
            return try server.make("4")
        }()
        #expect(version > 1003)
        let again = try self.open()
        #expect(try again.list().pks == ["2", "3", "1", "4"])
        #expect(try again.list(after: Self.cursor).pks == ["2", "3", "1", "4"])
        #expect(again.get("1").text.contains(#""data":{"n":2,"é":"ß"}"#))
        #expect(try again.post(deleted("r2", "2", 1000)).results.first?.version == 1002)
    }

    @Test func `the file keeps accounts and tokens`() throws {
        let path = self.folder.path("accounts.db")
        try FrozenServerFile.write(to: path, hasAccounts: true)
        let storage = try SQLiteServerStorage(.file(path))
        let accounts = try storage.accounts()
        #expect(accounts.map(\.name) == ["ada"])
        let tokens = try storage.tokens()
        #expect(tokens.map(\.number) == [3] && tokens.map(\.label) == ["phone"] && tokens.map(\.expiresAt) == [9_000])
        storage.close()
    }

    @Test func `the first step of the migration makes the tables of release 0_1_0`() throws {
        let new = try DatabaseConnection(.memory)
        try DatabaseMigrator([SQLiteServerSchema.steps[0]]).migrate(new)
        let old = try DatabaseConnection(.file(self.path))
        #expect(try self.tables(new) == self.tables(old))
    }

    @Test func `the file is migrated to the newest version, and is intact`() throws {
        try { _ = try self.open() }()
        let new = self.folder.path("new.db")
        try SQLiteServerStorage(.file(new)).close()
        let (old, fresh) = (try DatabaseConnection(.file(self.path)), try DatabaseConnection(.file(new)))
        #expect(try old.userVersion() == fresh.userVersion())
        #expect(try self.columns(old) == self.columns(fresh))
        let check = try old.statement("PRAGMA integrity_check")
        #expect(try check.step() && check.text(0) == "ok")
        #expect(try !old.statement("PRAGMA foreign_key_check").step())
    }

    /// The tables, and one more step.
    private static func later(_ sql: String) -> DatabaseMigrator {
        DatabaseMigrator(SQLiteServerSchema.steps + [DatabaseMigration("a later step", sql: sql)])
    }

    @Test(arguments: [true, false])
    func `administration leaves an older file unchanged, and names the command to migrate`(mayMake: Bool) throws {
        let database = try DatabaseConnection(.file(self.path))
        let later = Self.later("CREATE TABLE later (x)")
        let error = #expect(throws: DatabaseError.self) {
            try SQLiteServerSchema.migrate(database, for: .administration(mayMake: mayMake), by: later)
        }
        #expect(error.map { ServerStorageError($0).code } == .olderVersion)
        #expect(error?.message.contains("tidemark serve") == true, "\(String(describing: error))")
        #expect(try database.userVersion() == Int64(FrozenServerFile.version))
        try SQLiteServerSchema.migrate(database, for: .serving, by: later)
        #expect(try database.userVersion() == later.newestVersion)
        #expect(try !database.statement("SELECT x FROM later").step())
        // This program is now older than the file.
        #expect(throws: ServerStorageError.self) { try SQLiteServerStorage(.file(self.path)) }
    }

    @Test func `a step that fails leaves the file at the previous version, with its rows`() throws {
        let database = try DatabaseConnection(.file(self.path))
        let broken = Self.later("CREATE TABLE later (x); DELETE FROM answer; INSERT INTO nowhere VALUES (1)")
        #expect(throws: DatabaseError.self) { try SQLiteServerSchema.migrate(database, for: .serving, by: broken) }
        database.close()
        let server = try self.open()
        #expect(try server.list().pks == ["1", "2", "3"])
        #expect(try server.post(deleted("r2", "2", 1000)).results.first?.version == 1002)
    }

    @Test func `a file is made only if the use allows it, and administration can use it`() throws {
        let path = self.folder.path("made.db")
        try SQLiteServerStorage(.file(path), for: .administration(mayMake: true)).close()
        try SQLiteServerStorage(.file(path), for: .administration(mayMake: false)).close()
        let error = #expect(throws: ServerStorageError.self) {
            try SQLiteServerStorage(.file(self.folder.path("none.db")), for: .administration(mayMake: false))
        }
        #expect(error?.code == .olderVersion)
    }

    @Test(arguments: [0x746D_5356, 0x544D_7374], [1, 2, 4, 12])
    func `a file from before the first release is refused and not changed`(mark: Int32, version: Int32) throws {
        let path = self.folder.path("old.db")
        let old = try DatabaseConnection(.file(path), applicationID: mark)
        try old.execute("PRAGMA journal_mode = DELETE; CREATE TABLE feed (id)")
        try old.setUserVersion(version)
        old.close()
        let before = try self.folder.read("old.db")
        for use in [ServerStorageUse.serving, .administration(mayMake: true), .administration(mayMake: false)] {
            let error = #expect(throws: ServerStorageError.self) { try SQLiteServerStorage(.file(path), for: use) }
            #expect(error?.code == .notAServerStore)
            #expect(error?.message.contains("made before the first release of Tidemark") == true)
        }
        #expect(try self.folder.read("old.db") == before)
    }

    /// The statements that made the tables and indexes.
    private func tables(_ database: DatabaseConnection) throws -> [String] {
        try self.texts(
            "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY type, name",
            in: database)
    }

    /// The columns of each table, as SQLite reports them.
    private func columns(_ database: DatabaseConnection) throws -> [String] {
        try self.texts(
            """
            SELECT schema.name || '.' || info.name || ' ' || info.type || ' ' || info."notnull"
            FROM sqlite_schema AS schema, pragma_table_info(schema.name) AS info ORDER BY 1
            """, in: database)
    }

    private func texts(_ sql: String, in database: DatabaseConnection) throws -> [String] {
        let select = try database.statement(sql)
        var texts: [String] = []
        while try select.step() { texts.append(try select.text(0)) }
        return texts
    }
}
