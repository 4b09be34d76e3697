import Foundation
import TestSupport
import Testing
import TidemarkDatabase
import TidemarkJSON
import TidemarkServer

@Suite("The server's file of an earlier version")
struct OlderFileTests {
    /// A cursor that the earlier version assigned after record 1.
    private static let cursor = "old.8277732b108e.1001.950"

    private let folder: TemporaryFolder
    private var path: String { self.folder.path("server.db") }

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// Opens a server over such a file with the current version.
    private func open(_ file: FrozenServerFile) throws -> ServerHarness {
        try file.write(to: self.path)
        return try self.open()
    }

    private func open() throws -> ServerHarness {
        try ServerHarness(.file(self.path), epoch: "new", clock: ManualClock(2_000))
    }

    @Test(arguments: FrozenServerFile.all)
    func `an older file keeps all of its rows, with their versions and bytes`(file: FrozenServerFile) throws {
        let server = try self.open(file)
        let page = try server.list()
        #expect(
            page.items.map(\.text) == [
                #"{"pk":"1","updated_at":1001,"is_active":true,"data":{"n":1.10,"é":"ß"}}"#,
                #"{"pk":"2","updated_at":1002,"is_active":false}"#,
                #"{"pk":"3","updated_at":1003,"is_active":true,"data":{"t":"x"}}"#,
            ])
        #expect(page.json["epoch"] == "old")
        #expect(server.get("1").text.contains(#""data":{"n":1.10,"é":"ß"}"#))
        #expect(server.get("2").status == 410)
        #expect(server.get("4").status == 404)
    }

    @Test(arguments: FrozenServerFile.all)
    func `an older file accepts its own cursors (W8)`(file: FrozenServerFile) throws {
        let server = try self.open(file)
        let later = try server.list(after: Self.cursor)
        #expect(later.pks == ["2", "3"])
        #expect(try server.list(after: later.cursor).pks == [])
        // Below the horizon, and from before the last purge.
        let old = Self.cursor.replacing("1001.950", with: "800.0")
        #expect(server.send("GET", ServerHarness.target("notes", old, nil)).status == 410)
    }

    @Test(arguments: FrozenServerFile.all)
    func `an older file answers by request id as before, byte for byte (W4)`(file: FrozenServerFile) throws {
        let server = try self.open(file)
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
        #expect(try server.list().pks == ["1", "2", "3"])
    }

    @Test(arguments: FrozenServerFile.all)
    func `an older file accepts new edits, and keeps all rows when it is opened again`(file: FrozenServerFile) throws {
        let version = try {
            let server = try self.open(file)
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

    @Test(arguments: FrozenServerFile.all)
    func `an older file is migrated to the newest version, and is intact`(file: FrozenServerFile) throws {
        try { _ = try self.open(file) }()
        let new = self.folder.path("new.db")
        try SQLiteServerStorage(.file(new)).close()
        let (old, fresh) = (try DatabaseConnection(.file(self.path)), try DatabaseConnection(.file(new)))
        #expect(try old.userVersion() == fresh.userVersion())
        #expect(try self.columns(old) == self.columns(fresh))
        let check = try old.statement("PRAGMA integrity_check")
        #expect(try check.step() && check.text(0) == "ok")
        #expect(try !old.statement("PRAGMA foreign_key_check").step())
    }

    @Test(arguments: FrozenServerFile.all, [true, false])
    func `administration leaves an older file unchanged, and names the command to migrate`(
        file: FrozenServerFile, mayMake: Bool
    ) throws {
        try file.write(to: self.path)
        let error = #expect(throws: ServerStorageError.self) {
            try SQLiteServerStorage(.file(self.path), for: .administration(mayMake: mayMake))
        }
        #expect(error?.code == .olderVersion)
        #expect(error?.message.contains("tidemark serve") == true, "\(String(describing: error))")
        #expect(try DatabaseConnection(.file(self.path)).userVersion() == file.version)
    }

    @Test func `a file is made only if the use allows it, and administration can use it`() throws {
        try SQLiteServerStorage(.file(self.path), for: .administration(mayMake: true)).close()
        try SQLiteServerStorage(.file(self.path), for: .administration(mayMake: false)).close()
        let error = #expect(throws: ServerStorageError.self) {
            try SQLiteServerStorage(.file(self.folder.path("none.db")), for: .administration(mayMake: false))
        }
        #expect(error?.code == .olderVersion)
    }

    @Test func `an older file answers from a stored digest and version (W4)`() throws {
        try FrozenServerFile.all[1].write(to: self.path)
        let database = try DatabaseConnection(.file(self.path))
        try database.execute(
            """
            INSERT INTO run (feed, after, name) VALUES (1, 1002, 'run');
            INSERT INTO answer (feed, request_id, answered_at, edit, digest, result, version, is_conflicted)
            VALUES (1, 'r4', 1003, x'', 'a9d53c0e4b2902c3219b608c7684de25', x'', 1003, 0);
            """)
        database.close()
        let server = try self.open()
        #expect(try server.post(created("r4", "3", ["t": "x"])).results.first?.version == 1003)
        #expect(try server.post(created("r4", "3", ["t": "y"])).results.first?.code == "request-id-reused")
        #expect(try server.list(after: "old.8277732b108e.1003.950.run").pks == [])
        #expect(try server.list().cursor == "old.8277732b108e.1003.950.run")
    }

    /// The columns of each table, as SQLite reports them.
    private func columns(_ database: DatabaseConnection) throws -> [String] {
        let select = try database.statement(
            """
            SELECT schema.name || '.' || info.name || ' ' || info.type || ' ' || info."notnull"
            FROM sqlite_schema AS schema, pragma_table_info(schema.name) AS info ORDER BY 1
            """)
        var columns: [String] = []
        while try select.step() { columns.append(try select.text(0)) }
        return columns
    }
}
