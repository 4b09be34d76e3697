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
        let run = try shop.run("conform", server.url, "--token", "t1", "--json")
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        let checks = try run.lines.map { try JSON(parsing: $0) }
        #expect(checks.count > 30)
        for check in checks {
            #expect(check.object?.keys == ["check", "rules", "outcome", "why", "evidence"])
            #expect(check.outcome == "kept", "\(check.text)")
            #expect(check.evidence?.array?.isEmpty == false)
        }
        let rules = Set(checks.flatMap { $0.rules?.array ?? [] }.compactMap(\.string))
        #expect(rules.isSuperset(of: (1...9).map { "W\($0)" }))
        #expect(!run.errors.contains("not deleted"))
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

    @Test func `--time-limit ends the run, which fails with advice`() throws {
        let shop = try Workshop()
        let server = try shop.serve("--token", "t1")
        let run = try shop.run("conform", server.url, "--token", "t1", "--time-limit", "1ms")
        #expect(run.status == 1)
        #expect((run.output + run.errors).contains("Allow more time"), "\(run.output)\(run.errors)")
    }
}
