import Foundation
import TestSupport
import Testing
import TidemarkDatabase
import TidemarkJSON
import TidemarkServer

@Suite("The server's file is moved or overwritten while it runs")
struct MovedFileTests {
    private func server(_ path: String, _ heard: Heard) throws -> ServerCore {
        ServerCore(storage: try SQLiteServerStorage(.file(path)), now: { 1 }, report: { heard.add($0.message) })
    }

    private func statuses(_ core: ServerCore) -> [Int] {
        let edits: JSON = ["edits": [created("a", "1", ["a": 1])]]
        return [
            core.handle(ServerRequest(method: "POST", target: "/v1/notes", body: edits.bytes)),
            core.handle(ServerRequest(method: "GET", target: "/v1/notes")),
            core.handle(ServerRequest(method: "GET", target: "/v1/notes/1")),
        ].map(\.status)
    }

    @Test(arguments: ["moved", "removed", "replaced", "overwritten"])
    func `a replaced file is detected by the next request, answered with 500, and reported`(how: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("server.db")
        let heard = Heard()
        let core = try self.server(path, heard)
        #expect(self.statuses(core) == [200, 200, 200])
        let files = FileManager.default
        switch how {
        case "moved": try files.moveItem(atPath: path, toPath: folder.path("elsewhere.db"))
        case "removed": try files.removeItem(atPath: path)
        case "replaced":
            try files.moveItem(atPath: path, toPath: folder.path("elsewhere.db"))
            try files.copyItem(atPath: folder.path("elsewhere.db"), toPath: path)
        default:
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.truncate(atOffset: 0)
            try handle.write(contentsOf: Data(repeating: 0, count: 4_096))
            try handle.close()
        }
        #expect(self.statuses(core) == [500, 500, 500])
        #expect(heard.messages.first?.contains("\(path): the file was moved away") == true)
        let problem = core.handle(ServerRequest(method: "GET", target: "/v1/notes")).body
        #expect(String(decoding: problem, as: UTF8.self).contains("moved or overwritten while it runs"))
        #expect(!String(decoding: problem, as: UTF8.self).contains(folder.url.path))
    }

    @Test func `a transaction is not committed into a deleted file`() throws {
        let folder = try TemporaryFolder()
        let (path, elsewhere) = (folder.path("server.db"), folder.path("b.db"))
        let storage = try SQLiteServerStorage(.file(path))
        var isMoved = false
        let failure = #expect(throws: ServerStorageError.self) {
            try storage.transaction { () throws(ServerStorageError) in
                _ = try storage.openFeed(account: "a", collection: "notes")
                isMoved = (try? FileManager.default.moveItem(atPath: path, toPath: elsewhere)) != nil
            }
        }
        #expect(isMoved)
        #expect(failure?.code == .fileReplaced)
        try FileManager.default.moveItem(atPath: elsewhere, toPath: path)
        #expect(try storage.usage(of: "a") == AccountUsage(collections: 0, rows: 0, bytes: 0))
        #expect(try storage.feed(account: "a", collection: "notes") == nil)
    }

    @Test func `a server without its log file commits nothing`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("server.db")
        let heard = Heard()
        let core = try self.server(path, heard)
        #expect(self.statuses(core) == [200, 200, 200])
        try FileManager.default.removeItem(atPath: path + "-wal")
        let edits: JSON = ["edits": [created("b", "2", ["a": 1])]]
        #expect(core.handle(ServerRequest(method: "POST", target: "/v1/notes", body: edits.bytes)).status == 500)
        #expect(heard.messages.first?.contains("\(path)-wal: the log of the file was moved away") == true)
        #expect(core.handle(ServerRequest(method: "GET", target: "/v1/notes/2")).status == 404)
    }

    @Test func `the server's own writes and checkpoints do not count as a replaced file`() throws {
        let folder = try TemporaryFolder()
        let heard = Heard()
        let core = try self.server(folder.path("server.db"), heard)
        let text = JSON.string(JSONString(String(repeating: "x", count: 1_000_000)))
        for number in 0..<12 {
            let edits: JSON = ["edits": [created("r\(number)", "p\(number)", ["a": text])]]
            let answer = core.handle(ServerRequest(method: "POST", target: "/v1/notes", body: edits.bytes))
            #expect(answer.status == 200)
        }
        #expect(core.handle(ServerRequest(method: "GET", target: "/v1/notes/p3")).status == 200)
        #expect(heard.messages.isEmpty)
    }

    @Test func `a failed COMMIT is rolled back, and the next POST succeeds (R11)`() throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseConnection(.file(folder.path("a.db")))
        try database.execute(
            """
            CREATE TABLE parent (id INTEGER PRIMARY KEY);
            CREATE TABLE child (parent INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)
            """)
        // Only the COMMIT detects a broken reference.
        #expect(throws: ServerStorageError.self) {
            try database.transaction(failingWith: ServerStorageError.self) { () throws(ServerStorageError) in
                do throws(DatabaseError) {
                    try database.execute("INSERT INTO child VALUES (7)")
                } catch {
                    throw ServerStorageError(.failed, error.message)
                }
            }
        }
        #expect(!database.isInTransaction)
        try database.transaction { () throws(DatabaseError) in try database.execute("INSERT INTO parent VALUES (7)") }
        #expect(try database.integer("SELECT count(*) FROM child") == 0)
    }
}
