import CannedHTTP
import Foundation
import Testing

@Suite struct `The outcome of a sync` {
    let shop: Workshop

    init() throws {
        self.shop = try Workshop()
        try self.shop.done("create", "--store", "a.db", "notes", "1", #"{"a":1}"#)
    }

    private func outcome(_ run: ToolRun) -> String { run.output.split(separator: ",").first.map(String.init) ?? "" }

    @Test func `sync exits with 1 if the store has no server, and prints the command to run`() throws {
        let run = try self.shop.run("sync", "--store", "a.db")
        #expect(run.status == 1)
        #expect(run.errors.contains("a.db has no server yet. Run: tidemark init --store a.db --remote URL"))
    }

    @Test func `sync exits with 0 if everything is in sync`() throws {
        let server = try self.shop.serve()
        try self.shop.device("a.db", server)
        let run = try self.shop.run("sync", "--store", "a.db", "--json")
        #expect(run.status == 0)
        #expect(run.errors == "")
        let start =
            #"{"outcome":"inSync","collections":{"notes":{"pushed":["1"],"pulled":0,"merged":[],"conflicts":[],"held":[],"#
        #expect(run.output.hasPrefix(start), "\(run.output)")
        #expect(run.output.contains(#""requests":"#) && run.output.contains(#","cursor":""#))
        #expect(try self.shop.done("sync", "--store", "a.db") == "notes: sent 0, received 0; in sync\n")
    }

    @Test func `sync exits with 1 if the store has no collection, and asks for a name`() throws {
        let server = try self.shop.serve()
        try self.shop.device("b.db", server)
        let run = try self.shop.run("sync", "--store", "b.db", "--json")
        #expect(run.status == 1)
        #expect(run.output == "{\"outcome\":\"noCollections\",\"collections\":{}}\n")
        #expect(run.errors.contains("Name one: tidemark sync --store b.db COLLECTION"))
    }

    @Test func `sync syncs the collections that the rules name`() throws {
        let server = try self.shop.serve()
        try self.shop.device("a.db", server)
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.write(#"{"collections":{"notes":{}}}"#, to: "rules.json")
        try self.shop.device("b.db", server, "--rules", "rules.json")
        #expect(try self.shop.done("sync", "--store", "b.db") == "notes: sent 0, received 1; in sync\n")
    }

    @Test func `sync exits with 3 if a change waits for a record of a collection that is not synced`() throws {
        let server = try self.shop.serve()
        try self.shop.write(#"{"collections":{"todos":{"references":{"/list":"lists"}}}}"#, to: "rules.json")
        try self.shop.device("b.db", server, "--rules", "rules.json")
        try self.shop.done("create", "--store", "b.db", "todos", "1", #"{"list":"42"}"#)
        try self.shop.done("create", "--store", "b.db", "lists", "42", #"{"name":"Home"}"#)
        let run = try self.shop.run("sync", "--store", "b.db", "todos")
        #expect(run.status == 3)
        #expect(run.output == "todos: sent 0, received 0, waiting 1; a change waits for another record\n")
        let command = "tidemark explain --store b.db todos 1"
        #expect(
            run.errors.contains("1 change of todos waits for another record: lists/42. For the reason: \(command)"),
            "\(run.errors)")
        let explained = try self.shop.done("explain", "--store", "b.db", "todos", "1")
        #expect(explained.contains("It waits for lists/42, whose own change is not sent yet."), "\(explained)")
        let status = try self.shop.done("status", "--store", "b.db")
        #expect(status.contains("todos: 1 CREATED (created here)\n  1 waits for lists/42\n"), "\(status)")
        let line = try self.shop.done("status", "--store", "b.db", "--json")
        #expect(line.contains(#""waiting":[{"pk":"1","for":"lists/42"}]"#), "\(line)")
        #expect(try self.shop.done("check", "--store", "b.db").contains("todos: [/list]: as the records"))
        let plan = try self.shop.done("sync", "--store", "b.db", "--dry-run", "--json")
        #expect(plan.contains(#""pk":"42""#) && !plan.contains(#""pk":"1""#), "\(plan)")
        let whole = try self.shop.run("sync", "--store", "b.db", "--json")
        #expect(whole.status == 0, "\(whole.output)")
        #expect(!whole.output.contains("waiting"), "\(whole.output)")
    }

    @Test func `sync exits with 1 after the rules with the only collection were removed`() throws {
        let server = try self.shop.serve()
        try self.shop.write(#"{"collections":{"notes":{}}}"#, to: "rules.json")
        try self.shop.device("b.db", server, "--rules", "rules.json")
        try self.shop.done("init", "--store", "b.db", "--no-rules")
        let run = try self.shop.run("sync", "--store", "b.db", "--json")
        #expect(run.status == 1)
        #expect(run.output == "{\"outcome\":\"noCollections\",\"collections\":{}}\n")
    }

    @Test func `sync exits with 3 if a record is held, and sends it after it is made smaller`() throws {
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
        try self.shop.done("retry", "--store", "a.db", "notes", "2")
        #expect(try self.shop.run("sync", "--store", "a.db").status == 3)
        try self.shop.done("edit", "--store", "a.db", "notes", "2", "/text", #""short""#)
        #expect(try self.shop.run("sync", "--store", "a.db").status == 0)
    }

    @Test func `sync exits with 4 if no server answers, and prints when to retry`() throws {
        let server = try self.shop.serve()
        try self.shop.device("a.db", server)
        _ = try server.tool.stop()
        let run = try self.shop.run("sync", "--store", "a.db", "--json")
        #expect(run.status == 4)
        #expect(self.outcome(run) == #"{"outcome":"unreachable""#)
        #expect(
            run.errors.contains("nothing answers there. Is the server running, and is the port right?"), "\(run.errors)"
        )
        #expect(run.errors.contains("No data is lost. Retry in "))
        #expect(try self.shop.done("get", "--store", "a.db", "notes", "1") == "{\"a\":1}\n")
    }

    @Test func `sync exits with 4 if a page of HTML answers (portal-is-not-a-bad-token)`() throws {
        let page = try CannedServer(
            .http("200 OK", ["Content-Type: text/html"], body: "<!DOCTYPE html><html><body>Log in</body></html>"))
        try self.shop.done("init", "--store", "a.db", "--remote", page.url)
        let run = try self.shop.run("sync", "--store", "a.db", "--json")
        #expect(run.status == 4, "\(run.errors)")
        #expect(self.outcome(run) == #"{"outcome":"unreachable""#)
        #expect(run.errors.contains("the network requires you to sign in first"), "\(run.errors)")
        #expect(run.errors.contains("the URL is not that of a Tidemark server"), "\(run.errors)")
        #expect(try self.shop.run("list", "--store", "a.db", "notes", "--state", "CREATED").lines.count == 1)
    }

    @Test func `sync exits with 5 for a wrong token, until init sets the right one`() throws {
        let server = try self.shop.serve("--token", "good", "--token", "other")
        try self.shop.device("a.db", server, "--token", "bad")
        let run = try self.shop.run("sync", "--store", "a.db", "--json")
        #expect(run.status == 5)
        #expect(self.outcome(run) == #"{"outcome":"unauthorized""#)
        #expect(run.errors.contains("this server does not know the token"), "\(run.errors)")
        #expect(run.errors.contains("Set the right token: tidemark init --store a.db --token T"))
        try self.shop.done("init", "--store", "a.db", "--token", "good")
        #expect(try self.shop.run("sync", "--store", "a.db").status == 0)
        // The other token is another account, which has no access to the record (W10).
        try self.shop.device("b.db", server, "--token", "other")
        let other = try self.shop.run("sync", "--store", "b.db", "notes")
        #expect(other.status == 1)
        #expect(other.errors.contains("“notes” is neither in this store nor on the server"), "\(other.errors)")
    }

    @Test func `sync --wait ends only after the server has answered`() throws {
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

    /// No answer was lost: the server rejected the request, and the messages must not say otherwise.
    @Test(arguments: [404, 413, 429])
    func `sync reports the server's status, and not a lost answer`(_ status: Int) throws {
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

    @Test func `sync exits with 1 for a wrong URL, and asks for another one`() throws {
        let server = try self.shop.serve()
        try self.shop.done("init", "--store", "a.db", "--remote", String(server.url.dropLast(3)))
        let run = try self.shop.run("sync", "--store", "a.db", "--wait", "--json")
        #expect(run.status == 1)
        #expect(self.outcome(run) == #"{"outcome":"notFound""#)
        #expect(run.errors.contains("tidemark init --store a.db --remote URL"), "\(run.errors)")
        #expect(!run.errors.contains("Retry in"), "\(run.errors)")
        let explained = try self.shop.done("explain", "--store", "a.db", "notes", "1")
        #expect(!explained.contains("credentials"), "\(explained)")
        #expect(try self.shop.run("list", "--store", "a.db", "notes", "--state", "CREATED").lines.count == 1)
    }
}
