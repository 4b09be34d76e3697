import Foundation
import Testing
import Tidemark

@Suite struct `The command conform` {
    @Test func `The reference server keeps every rule, and has no record of the checks left`() throws {
        let shop = try Workshop()
        let server = try shop.serve("--token", "t1", "--token", "t2")
        try shop.device("a.db", server, "--token", "t1")
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        try shop.done("sync", "--store", "a.db")
        let run = try shop.run("conform", server.url, "--token", "t1", "--other-token", "t2", "--json")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        let checks = try run.lines.map { try JSON(parsing: $0) }
        #expect(checks.count > 30)
        for check in checks {
            #expect(check.object?.keys == ["check", "rules", "outcome", "why", "evidence"])
            let name = check.check?.string ?? ""
            let isSkipped = name.contains("after a restart") || name.contains("after a backup was restored")
            #expect(check.outcome == (isSkipped ? "skipped" : "kept"), "\(check.text)")
            #expect(check.evidence?.array?.isEmpty == isSkipped)
        }
        let rules = Set(checks.flatMap { $0.rules?.array ?? [] }.compactMap(\.string))
        #expect(rules.isSuperset(of: (1...10).map { "W\($0)" }))
        #expect(run.errors.contains("W4 after a restart"), "\(run.errors)")
        #expect(run.errors.contains("W7 how long tombstones are kept"))
        #expect(run.errors.contains("change notifications: the comment line every 15 s: no check shows that"))
        #expect(!run.errors.contains("not deleted"))
        #expect(run.errors.contains("empty collections remain"))
        #expect(!run.errors.contains("broken:"))
        // The checks do not disturb other clients.
        try shop.done("sync", "--store", "a.db")
        #expect(try shop.done("list", "--store", "a.db", "notes", "--json").split(separator: "\n").count == 1)
        let again = try shop.run("conform", server.url, "--token", "t1")
        #expect(again.status == 0)
        #expect(again.output.contains("kept: W5 W10 an edit with an empty pk"))
    }

    @Test func `An unreachable server, a rejected token and a wrong URL are reported`() throws {
        let shop = try Workshop()
        let server = try shop.serve("--token", "t1")
        let stranger = try shop.run("conform", server.url)
        #expect(stranger.status == 1)
        #expect(stranger.errors.contains("401"), "\(stranger.errors)")
        #expect(try shop.run("conform", "no url").status == 64)
        #expect(try shop.run("conform", server.url, "--time-limit", "soon").status == 64)
        _ = try server.tool.stop()
        #expect(try shop.run("conform", server.url).status == 1)
    }

    @Test func `--restart runs a command between the checks, and a command that fails is reported`() throws {
        let shop = try Workshop()
        let server = try shop.serve()
        let run = try shop.run(
            "conform", server.url, "--collection", "notes", "--collection", "tags", "--restart", "echo again >&2")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("kept: W4 after a restart"))
        #expect(run.errors.split(separator: "\n").count { $0 == "again" } == 3)
        let failed = try shop.run("conform", server.url, "--restart", "exit 3")
        #expect(failed.status == 1)
        #expect(failed.output.contains("The command of --restart failed with status 3"), "\(failed.output)")
        #expect(try shop.run("conform", server.url, "--restore", "true").status == 64)
    }

    @Test func `--collection uses only the named collections, and leaves no record there`() throws {
        let shop = try Workshop()
        let server = try shop.serve()
        try shop.device("a.db", server)
        try shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
        try shop.done("sync", "--store", "a.db")
        let run = try shop.run("conform", server.url, "--collection", "notes", "--level", "minimal")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.errors.contains("odd names are not tried in given collections"), "\(run.errors)")
        #expect(run.errors.contains("the level of the server is “minimal”"))
        try shop.done("sync", "--store", "a.db")
        #expect(try shop.done("list", "--store", "a.db", "notes", "--json").split(separator: "\n").count == 1)
        #expect(try shop.run("conform", server.url, "--level", "best").status == 64)
    }

    @Test func `The names of broken checks are repeated above the last line, and long lines are wrapped`() throws {
        let shop = try Workshop()
        let server = try shop.serve("--bytes-per-account", "64KiB")
        let run = try shop.run("conform", server.url)
        #expect(run.status == 1)
        let lines = run.errors.split(separator: "\n")
        let start = try #require(lines.firstIndex(of: "broken:"), "\(run.errors)")
        #expect(lines[start...].contains("    a large batch with large records arrives complete"), "\(run.errors)")
        #expect(lines.last?.contains(" checks kept; the level") == true)
        #expect(lines.allSatisfy { $0.utf8.count <= 120 })
        #expect(run.output.contains("\n        "), "a long line continues in the next one, indented")
    }

    @Test func `--time-limit ends the run, which fails with advice`() throws {
        let shop = try Workshop()
        let server = try shop.serve("--token", "t1")
        let run = try shop.run("conform", server.url, "--token", "t1", "--time-limit", "1ms")
        #expect(run.status == 1)
        #expect((run.output + run.errors).contains("Allow more time"), "\(run.output)\(run.errors)")
    }
}
