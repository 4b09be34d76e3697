import CannedHTTP
import Foundation
import Testing

@Suite struct `Sync ends` {
    let shop: Workshop

    init() throws {
        self.shop = try Workshop()
        try self.shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
    }

    private func outcome(_ run: ToolRun) -> String { run.output.split(separator: ",").first.map(String.init) ?? "" }

    @Test func `with 1 where the store knows no server, and says what to type`() throws {
        let run = try self.shop.run("sync", "--store", "a.db")
        #expect(run.status == 1)
        #expect(run.errors.contains("a.db knows no server yet. Run: tidemark init --store a.db --remote URL"))
    }

    @Test func `with 0 in step`() throws {
        let server = try self.shop.serve()
        try self.shop.device("a.db", server)
        let run = try self.shop.run("sync", "--store", "a.db", "--json")
        #expect(run.status == 0)
        #expect(run.errors == "")
        let start =
            #"{"outcome":"in_step","collections":{"notes":{"pushed":["1"],"pulled":0,"merged":[],"conflicts":[],"held":[],"#
        #expect(run.output.hasPrefix(start), "\(run.output)")
        #expect(run.output.contains(#""requests":"#) && run.output.contains(#","watermark":""#))
        #expect(try self.shop.done("sync", "--store", "a.db") == "notes: sent 0, received 0; in step\n")
    }

    @Test func `with 1 where no collection is known, and asks for a name`() throws {
        let server = try self.shop.serve()
        try self.shop.device("b.db", server)
        let run = try self.shop.run("sync", "--store", "b.db", "--json")
        #expect(run.status == 1)
        #expect(run.output == "{\"outcome\":\"no_collections\",\"collections\":{}}\n")
        #expect(run.errors.contains("Name one: tidemark sync --store b.db COLLECTION"))
    }

    @Test func `with 0 for the collections that the rules name`() throws {
        let server = try self.shop.serve()
        try self.shop.device("a.db", server)
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.write(#"{"collections":{"notes":{}}}"#, to: "rules.json")
        try self.shop.device("b.db", server, "--rules", "rules.json")
        #expect(try self.shop.done("sync", "--store", "b.db") == "notes: sent 0, received 1; in step\n")
    }

    @Test func `with 1 where the rules that named the only collection were removed`() throws {
        let server = try self.shop.serve()
        try self.shop.write(#"{"collections":{"notes":{}}}"#, to: "rules.json")
        try self.shop.device("b.db", server, "--rules", "rules.json")
        try self.shop.done("init", "--store", "b.db", "--no-rules")
        let run = try self.shop.run("sync", "--store", "b.db", "--json")
        #expect(run.status == 1)
        #expect(run.output == "{\"outcome\":\"no_collections\",\"collections\":{}}\n")
    }

    @Test func `with 3 where something is held, says why, and goes on when it is smaller`() throws {
        let server = try self.shop.serve("--max-body", "1kB")
        try self.shop.device("a.db", server)
        let text = String(repeating: "x", count: 2_000)
        try self.shop.done("create", "--store", "a.db", "notes", "2", #"{"text":"\#(text)"}"#)
        let run = try self.shop.run("sync", "--store", "a.db", "--json")
        #expect(run.status == 3)
        #expect(run.output.contains(#""held":["2"]"#), "\(run.output)")
        #expect(self.outcome(run) == #"{"outcome":"held""#)
        #expect(try self.shop.done("list", "--store", "a.db", "notes", "--state", "SYNCD").hasPrefix("1\tSYNCD"))
        #expect(try self.shop.done("status", "--store", "a.db").contains("2 is held: "))
        try self.shop.done("release", "--store", "a.db", "notes", "2")
        #expect(try self.shop.run("sync", "--store", "a.db").status == 3)
        try self.shop.done("edit", "--store", "a.db", "notes", "2", "/text", #""short""#)
        #expect(try self.shop.run("sync", "--store", "a.db").status == 0)
    }

    @Test func `with 4 where nothing answers, loses nothing, and says when to try again`() throws {
        let server = try self.shop.serve()
        try self.shop.device("a.db", server)
        _ = try server.tool.stop()
        let run = try self.shop.run("sync", "--store", "a.db", "--json")
        #expect(run.status == 4)
        #expect(self.outcome(run) == #"{"outcome":"unreachable""#)
        #expect(
            run.errors.contains("nothing answers there. Is the server running, and is the port right?"), "\(run.errors)"
        )
        #expect(run.errors.contains("Nothing is lost. Another try is worthwhile in "))
        #expect(try self.shop.done("get", "--store", "a.db", "notes", "1") == "{\"a\":1}\n")
    }

    @Test func `with 4 where a page of HTML answers (portal-is-not-a-bad-token), and drops nothing`() throws {
        let page = try CannedServer(
            .http("200 OK", ["Content-Type: text/html"], body: "<!DOCTYPE html><html><body>Log in</body></html>"))
        try self.shop.done("init", "--store", "a.db", "--remote", page.url)
        let run = try self.shop.run("sync", "--store", "a.db", "--json")
        #expect(run.status == 4, "\(run.errors)")
        #expect(self.outcome(run) == #"{"outcome":"unreachable""#)
        #expect(run.errors.contains("the network wants you to sign in first"), "\(run.errors)")
        #expect(run.errors.contains("the URL is not that of a Tidemark server"), "\(run.errors)")
        #expect(try self.shop.run("list", "--store", "a.db", "notes", "--state", "CREATED").lines.count == 1)
    }

    @Test func `with 5 where the token is wrong, until init brings the right one`() throws {
        let server = try self.shop.serve("--token", "good", "--token", "other")
        try self.shop.device("a.db", server, "--token", "bad")
        let run = try self.shop.run("sync", "--store", "a.db", "--json")
        #expect(run.status == 5)
        #expect(self.outcome(run) == #"{"outcome":"unauthorised""#)
        #expect(run.errors.contains("this server does not know the token"), "\(run.errors)")
        #expect(run.errors.contains("With the right token: tidemark init --store a.db --token T"))
        try self.shop.done("init", "--store", "a.db", "--token", "good")
        #expect(try self.shop.run("sync", "--store", "a.db").status == 0)
        // The other token is another account, which sees nothing of it (W10).
        try self.shop.device("b.db", server, "--token", "other")
        let other = try self.shop.run("sync", "--store", "b.db", "notes")
        #expect(other.status == 1)
        #expect(other.errors.contains("“notes” is known neither here nor at the server"), "\(other.errors)")
    }

    @Test func `only when the server has answered, if it shall wait`() throws {
        let server = try self.shop.serve()
        try self.shop.device("a.db", server)
        _ = try server.tool.stop()
        let sync = try self.shop.start(["sync", "--store", "a.db", "--wait", "--json"])
        let again = try self.shop.start(["serve", "--store", "server.db", "--listen", server.address])
        _ = try ToolServer(again)
        let run = try sync.finish()
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains(#""pushed":["1"]"#), "\(run.output)")
    }

    /// Nothing was lost on the way: the server said no, and the words must not say otherwise.
    @Test(arguments: [404, 413, 429])
    func `with the status that the server gave, and not with a lost answer`(_ status: Int) throws {
        let problem = #"{"title":"no","status":\#(status)}"#
        let server = try CannedServer(
            .http("\(status) No", ["Content-Type: application/problem+json", "Retry-After: 60"], body: problem))
        try self.shop.done("init", "--store", "a.db", "--remote", server.url)
        let run = try self.shop.run("sync", "--store", "a.db")
        let explained = try self.shop.done("explain", "--store", "a.db", "notes", "1")
        for text in [run.errors, explained, try self.shop.done("sync", "--store", "a.db", "--dry-run")] {
            #expect(!text.contains("was lost") && !text.contains("at once.") && !text.contains(".."), "\(text)")
        }
        if status != 413 { #expect(run.errors.contains("status \(status)"), "\(run.errors)") }
    }

    @Test func `with 1 where there is no server at the URL, and asks for another one`() throws {
        let server = try self.shop.serve()
        try self.shop.done("init", "--store", "a.db", "--remote", String(server.url.dropLast(3)))
        let run = try self.shop.run("sync", "--store", "a.db", "--wait", "--json")
        #expect(run.status == 1)
        #expect(self.outcome(run) == #"{"outcome":"not_found""#)
        #expect(run.errors.contains("tidemark init --store a.db --remote URL"), "\(run.errors)")
        #expect(!run.errors.contains("Another try"), "\(run.errors)")
        let explained = try self.shop.done("explain", "--store", "a.db", "notes", "1")
        #expect(!explained.contains("credentials"), "\(explained)")
        #expect(try self.shop.run("list", "--store", "a.db", "notes", "--state", "CREATED").lines.count == 1)
    }
}
