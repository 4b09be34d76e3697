import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct `The command run` {
    /// A store that knows the collection `notes`, and a server.
    private func shop() throws -> (Workshop, ToolServer) {
        let shop = try Workshop()
        let server = try shop.serve()
        try shop.device("a.db", server)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        return (shop, server)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `run sends unsent changes, prints its status, and stops cleanly on a signal`(_ signal: Int32) throws {
        let (shop, server) = try self.shop()
        let tool = try shop.start(["run", "--store", "a.db", "--json"])
        let line = try #require(tool.line { $0.contains(#""status":"inSync""#) })
        #expect(line.hasPrefix(#"{"status":"inSync","unsent":0,"conflicts":0,"held":0,"last_in_sync":"#))
        #expect(line.contains(#""collections":{"notes":{"status":"inSync""#), "\(line)")
        let run = try tool.stop(with: signal)
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors == "")
        try shop.device("b.db", server)
        #expect(try shop.done("sync", "--store", "b.db", "notes") == "notes: sent 0, received 1; in sync\n")
        #expect(try shop.done("get", "--store", "a.db", "notes", "1") == "{\"a\":1}\n", "the store was closed")
    }

    @Test func `run stops cleanly when its terminal is closed (terminal-closed)`() throws {
        let (shop, _) = try self.shop()
        let tool = try shop.start(["run", "--store", "a.db", "--json"])
        _ = try #require(tool.line { $0.contains(#""status":"inSync""#) })
        tool.signal(SIGHUP)
        blockUntil("the tool ends") { !tool.isRunning }
        tool.kill()
        let run = try tool.finish()
        #expect(run.status == 0, "\(run.errors)")
        #expect(try shop.done("get", "--store", "a.db", "notes", "1") == "{\"a\":1}\n", "the store was closed")
    }

    @Test func `run continues after its terminal is closed under nohup (terminal-closed)`() throws {
        let (shop, _) = try self.shop()
        let line = "trap '' HUP; exec \"$0\" run --store a.db --json"
        let tool = try RunningTool(
            URL(fileURLWithPath: "/bin/sh"), ["-c", line, try Workshop.tool().path], in: shop.folder, input: "")
        defer { tool.kill() }
        #expect(tool.line { $0.contains(#""hints":true"#) } != nil)
        tool.signal(SIGHUP)
        // A copy is read while `run` has the store open; if `run` had stopped, the store would be free.
        let status = try shop.run("status", "--store", "a.db")
        #expect(status.errors.hasPrefix("Read from a copy"), "\(status.errors)")
        #expect(try tool.stop().status == 0)
    }

    @Test func `run prints its status on standard error`() throws {
        let (shop, _) = try self.shop()
        let tool = try shop.start(["run", "--store", "a.db"])
        #expect(tool.line(ofErrors: true, where: { $0.hasSuffix(" UTC: in sync") }) != nil)
        let run = try tool.stop()
        #expect(run.status == 0)
        #expect(run.output == "")
        let lines = run.errors.split(separator: "\n").map { $0.split(separator: ": ", maxSplits: 1).map(String.init) }
        #expect(lines.allSatisfy { $0.count == 2 && $0[0].count == "21:07:03 UTC".count }, "\(run.errors)")
        #expect(["to send 1", "syncing", "in sync"].contains(lines[0][1]), "\(run.errors)")
    }

    @Test func `run syncs a collection that is named, as sync does`() throws {
        let (shop, server) = try self.shop()
        try shop.done("sync", "--store", "a.db")
        try shop.device("b.db", server)
        let tool = try shop.start(["run", "--store", "b.db", "--json", "notes"])
        #expect(tool.line { $0.contains(#""collections":{"notes":{"status":"inSync""#) } != nil)
        #expect(try tool.stop().status == 0)
        #expect(try shop.done("get", "--store", "b.db", "notes", "1") == "{\"a\":1}\n")
    }

    @Test func `run reports whether the server sends change notifications`() throws {
        let (shop, server) = try self.shop()
        let tool = try shop.start(["run", "--store", "a.db", "--json"])
        #expect(tool.line { $0.contains(#""status":"inSync""#) && $0.contains(#""hints":true"#) } != nil)
        // Without a server there are no change notifications.
        _ = try server.tool.stop()
        #expect(tool.line { $0.contains(#""hints":false"#) } != nil)
        #expect(try tool.stop().status == 0)
    }

    @Test func `run exits with 4 if no server answers, and retries until then`() throws {
        let (shop, server) = try self.shop()
        let address = server.address
        _ = try server.tool.stop()
        let tool = try shop.start(["run", "--store", "a.db", "--json"])
        let line = try #require(tool.line { $0.contains(#""status":"waiting""#) })
        #expect(line.contains(#""until":"#) && line.contains(#""why":""#))
        #expect(try tool.stop().status == 4)
        let again = try shop.start(["run", "--store", "a.db", "--json"])
        #expect(again.line { $0.contains(#""status":"waiting""#) } != nil)
        let back = try shop.start(["serve", "--store", "server.db", "--listen", address])
        #expect(back.firstLine()?.hasPrefix("listening") == true)
        #expect(again.line { $0.contains(#""status":"inSync""#) } != nil)
        #expect(try again.stop().status == 0)
    }

    @Test func `run exits with 5 if the server rejects the token`() throws {
        let shop = try Workshop()
        let server = try shop.serve("--token", "t1")
        try shop.device("a.db", server, "--token", "other")
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        let tool = try shop.start(["run", "--store", "a.db", "--json"])
        #expect(tool.line { $0.contains(#""status":"paused""#) } != nil)
        #expect(try tool.stop().status == 5)
    }

    @Test func `run rejects a store without a server or without a collection`() throws {
        let shop = try Workshop()
        try shop.done("create", "--store", "alone.db", "notes", "1", #"{"a":1}"#)
        let alone = try shop.run("run", "--store", "alone.db")
        #expect(alone.status == 1)
        #expect(alone.errors.contains("has no server yet"), "\(alone.errors)")
        try shop.device("empty.db", try shop.serve())
        let empty = try shop.run("run", "--store", "empty.db")
        #expect(empty.status == 1)
        #expect(empty.errors.contains("This store has no collection yet"), "\(empty.errors)")
    }
}
