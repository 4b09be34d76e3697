import CannedHTTP
import Foundation
import Testing
import Tidemark

/// Another process has the store open: commands that read use a copy, and the others are refused.
@Suite struct `Reading beside an app` {
    let shop: Workshop

    init() throws {
        self.shop = try Workshop()
        try self.shop.done("create", "--store", "a.db", "notes", "1", #"{"title":"Milk"}"#)
    }

    @Test(arguments: [
        "list notes", "get notes 1", "status", "explain notes 1", "journal notes", "trace", "conflicts", "export notes",
        "sync --dry-run", "check",
    ])
    func `a command that reads reads from a copy, and says so`(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let alone = try self.shop.done(words + ["--store", "a.db"])
        let store = try SQLiteStore(path: self.shop.path("a.db"))
        let run = try self.shop.run(words + ["--store", "a.db"])
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        let holders = lines.filter { $0.hasPrefix("open in another program (process \(getpid()))") }
        #expect(lines.filter { !holders.contains($0) } == alone.split(separator: "\n"))
        #expect(holders.count == (command == "status" ? 1 : 0))
        let note = try #require(run.errors.split(separator: "\n").first)
        let form = /Read from a copy of \d\d:\d\d:\d\d, since another program has the store open\./
        #expect(note.wholeMatch(of: form) != nil, "\(run.errors)")
        store.close()
    }

    @Test(arguments: [
        "edit notes 1 /title 5", "delete notes 1", "retry notes 1", "forget notes", "create notes 2 {}",
    ])
    func `a command that writes is refused`(command: String) throws {
        let store = try SQLiteStore(path: self.shop.path("a.db"))
        let run = try self.shop.run(command.split(separator: " ").map(String.init) + ["--store", "a.db"])
        #expect(run.status == 1)
        #expect(run.errors.contains("the file is open in process \(getpid())."), "\(run.errors)")
        store.close()
    }

    /// To any other client it would be an upload whose process has ended.
    @Test func `an upload of the other process is shown as being sent`() async throws {
        let server = try CannedServer(.emptyPage, .stall([]))
        try self.shop.done("init", "--store", "a.db", "--remote", server.url)
        let sync = try self.shop.start(["sync", "--store", "a.db", "notes"])
        await server.requestCame(2)
        let words = try self.shop.done("explain", "--store", "a.db", "notes", "1")
        #expect(words.hasPrefix("1 is CREATED.uploading"), "\(words)")
        sync.kill()
        let alone = try self.shop.done("explain", "--store", "a.db", "notes", "1")
        #expect(alone.hasPrefix("1 is CREATED.unconfirmed"), "\(alone)")
    }
}
