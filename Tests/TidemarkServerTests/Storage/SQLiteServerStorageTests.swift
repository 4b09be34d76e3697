import Foundation
import TestSupport
import Testing
import TidemarkDatabase
import TidemarkJSON
import TidemarkServer

@Suite("The server's file")
struct SQLiteServerStorageTests {
    private func refusal(of path: String) -> ServerStorageError? {
        do throws(ServerStorageError) {
            _ = try SQLiteServerStorage(.file(path))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a restarted server has the same rows, cursors and epoch`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("server.db")
        let before = try {
            let server = try ServerHarness(.file(path), epoch: "first")
            try server.make("1", ["a": 1.5])
            return try server.list()
        }()
        let after = try ServerHarness(.file(path), epoch: "second")
        #expect(try after.list().text == before.text)
        #expect(try after.list(after: before.cursor).items.isEmpty)
        #expect(try after.list().json["epoch"] == "first")
    }

    @Test func `two new servers have different epochs`() throws {
        #expect(try SQLiteServerStorage(.memory).epoch() != SQLiteServerStorage(.memory).epoch())
        #expect(SQLiteServerStorage.randomEpoch().utf8.count == 32)
    }

    @Test func `a second process on the same file is refused with a reason`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("server.db")
        let first = try SQLiteServerStorage(.file(path))
        let error = try #require(self.refusal(of: path))
        #expect(error.code == .busy)
        #expect(error.message.contains(path))
        first.close()
        #expect(self.refusal(of: path) == nil)
    }

    @Test func `a text file is refused and left unchanged`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("notes.txt")
        let text = String(repeating: "these are notes, not a database\n", count: 50)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try #require(self.refusal(of: path)).code == .notAServerStore)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test func `another program's database is refused`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("other.db")
        let other = try DatabaseConnection(.file(path), applicationID: 42)
        try other.execute("CREATE TABLE mine (x)")
        other.close()
        #expect(try #require(self.refusal(of: path)).code == .notAServerStore)
    }

    @Test func `a file of a later version is refused`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("server.db")
        try SQLiteServerStorage(.file(path)).close()
        let later = try DatabaseConnection(.file(path))
        try later.setUserVersion(99)
        later.close()
        let error = try #require(self.refusal(of: path))
        #expect(error.code == .newerVersion)
        #expect(error.message.contains("99"))
    }

    @Test func `a damaged file is refused`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("server.db")
        try SQLiteServerStorage(.file(path)).close()
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.seek(toOffset: 100)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: 2_000))
        try handle.close()
        #expect(try #require(self.refusal(of: path)).code == .corrupt)
    }

    @Test func `a missing folder is refused`() throws {
        let folder = try TemporaryFolder()
        #expect(try #require(self.refusal(of: folder.path("missing/server.db"))).code == .cannotOpen)
    }

    @Test func `a full disk is 500, no edit is kept, and only the operator gets the reason`() throws {
        let heard = Heard()
        let storage = try FaultyStorage(rowsUntilFull: 1)
        let core = ServerCore(storage: storage, now: { 1 }, report: { heard.add($0.message) })
        let edits: JSON = ["edits": [created("a", "1", ["a": 1]), created("b", "2", ["a": 1])]]
        let response = core.handle(ServerRequest(method: "POST", target: "/v1/notes", body: edits.bytes))
        #expect(response.status == 500)
        let problem = String(decoding: response.body, as: UTF8.self)
        #expect(problem.contains("server-failed"))
        #expect(!problem.contains("/srv"))
        #expect(heard.messages == ["/srv/server.db: the disk is full"])
        #expect(core.handle(ServerRequest(method: "GET", target: "/v1/notes/1")).status == 404)
        let page = try Answer(core.handle(ServerRequest(method: "GET", target: "/v1/notes")))
        #expect(page.items.isEmpty)
    }
}
