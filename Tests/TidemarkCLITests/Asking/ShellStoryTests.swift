import Foundation
import Testing
import Tidemark

/// Two devices with a rule for every field, used from the shell.
@Suite struct `Two devices from the shell` {
    static let rules = #"""
        {"collections":{"notes":{"fields":{
          "/mine":"client","/theirs":"server","/low":"min","/high":"max","/count":"sum","/tags":"union","/steps":"list",
          "/lines":{"keyed":"id"},"/lines/*/n":"sum","/body":"text","/seen":{"latest":"/at"},"/at":"max","/price":"ask"
        }}}}
        """#
    static let start = #"""
        {"mine":0,"theirs":0,"low":5,"high":5,"count":10,"tags":["a"],"steps":[1],"lines":[{"id":1,"n":1}],
         "body":"one\ntwo\nthree","seen":"x","at":1,"price":0}
        """#
    static let edits = (
        a: #"""
        {"mine":1,"theirs":1,"low":4,"high":7,"count":12,"tags":["a","b"],"steps":[1,2],
         "lines":[{"id":1,"n":2},{"id":2}],"body":"ONE\ntwo\nthree","seen":"a","at":3,"price":1}
        """#,
        b: #"""
        {"mine":2,"theirs":2,"low":3,"high":6,"count":13,"tags":["a","c"],"steps":[0,1],
         "lines":[{"id":1,"n":4}],"body":"one\ntwo\nTHREE","seen":"b","at":2,"price":2}
        """#
    )

    let shop: Workshop

    init() throws {
        self.shop = try Workshop()
    }

    /// Changes every field on both devices, and syncs; `b` then has the conflict.
    private func clash() throws {
        let server = try self.shop.serve()
        try self.shop.write(Self.rules, to: "rules.json")
        for store in ["a.db", "b.db"] { try self.shop.device(store, server, "--rules", "rules.json") }
        try self.shop.done("create", "--store", "a.db", "notes", "1", Self.start)
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.done("sync", "--store", "b.db")
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "--merge", "-", input: Self.edits.a)
        try self.shop.done("edit", "--store", "b.db", "notes", "1", "--merge", "-", input: Self.edits.b)
        try self.shop.done("sync", "--store", "a.db")
        let run = try self.shop.run("sync", "--store", "b.db")
        try #require(run.status == 2, "\(run.errors)")
    }

    /// A record on a device.
    private func record(_ pk: String, of store: String) throws -> JSON {
        try JSON(parsing: try self.shop.done("get", "--store", store, "notes", pk))
    }

    private func output(_ command: String, _ words: String..., of store: String) throws -> String {
        let run = try self.shop.run([command, "--store", store] + words)
        try #require(run.status == 0, "\(run.errors)")
        return run.output
    }

    @Test func `Devices merge each field by its rule, ask about one, and restore a lost value`() throws {
        try self.clash()
        #expect(try self.output("status", of: "b.db").contains("1 waits for a decision"))
        #expect(try self.output("explain", "notes", "1", of: "b.db").contains("The user has to decide"))
        let terminal = try PseudoTerminal(["resolve", "--store", "b.db", "notes", "1"], in: self.shop.folder)
        let question = try terminal.type("s", at: "[q]uit?")
        #expect(question.contains("/price") && !question.contains("/mine"), "\(question)")
        try terminal.type("y", at: "[y]es")
        let answered = try terminal.finish()
        try #require(answered.status == 0, "\(answered.errors)")

        #expect(try self.output("status", of: "b.db").contains("notes: 1 EDITED (changed here)\n"))
        let explained = try self.output("explain", "notes", "1", "--json", of: "b.db")
        #expect(
            explained.contains(
                #""from_here":["/low","/mine"],"from_server":["/at","/high","/price","/seen","/theirs"],"#
                    + #""on_both":["/at","/body","/count","/high","/lines","/low","/mine","/price","/seen","/steps","#
                    + #""/tags","/theirs"]}}"#), "\(explained)")
        let losers = try self.output("journal", "notes", "1", of: "b.db").split(separator: "\n").map { line in
            String(line.split(separator: ": ", maxSplits: 1).last ?? "")
        }
        #expect(
            losers == [
                "the client's value at /at lost: 2", "the client's value at /high lost: 6",
                "the server's value at /low lost: 4",
                "the server's value at /mine lost: 1", "the client's value at /price lost: 2",
                "the client's value at /seen lost: \"b\"",
                "the client's value at /theirs lost: 2",
            ])

        for store in ["b.db", "a.db"] { try self.shop.done("sync", "--store", store) }
        let merged = try JSON(
            parsing: #"""
                {"mine":2,"theirs":1,"low":3,"high":7,"count":15,"tags":["a","b","c"],"steps":[0,1,2],
                 "lines":[{"id":1,"n":5},{"id":2}],"body":"ONE\ntwo\nTHREE","seen":"a","at":3,"price":1}
                """#)
        for store in ["a.db", "b.db"] { #expect(try self.record("1", of: store) == merged) }

        try self.shop.done("restore", "--store", "b.db", "notes", "5")
        #expect(
            try self.output("explain", "notes", "1", of: "b.db").contains(
                "1 is EDITED.idle (changed here, to be sent). 1 field was changed"))
        let plan = try self.output("sync", "--dry-run", of: "b.db")
        #expect(plan == "notes 1: EDITED [{\"op\":\"replace\",\"path\":\"/price\",\"value\":2}]\n")
        for store in ["b.db", "a.db"] { try self.shop.done("sync", "--store", store) }
        for store in ["a.db", "b.db"] { #expect(try self.record("1", of: store)["price"] == 2) }
        #expect(try self.output("status", of: "b.db").contains("notes: 1 SYNCD (as on the server), in sync\n"))
    }

    @Test func `Keeping both records loses nothing of either`() throws {
        try self.clash()
        let copy = String(try self.output("resolve", "notes", "1", "--keep-both", of: "b.db").dropLast())
        #expect(
            try self.output("status", of: "b.db").contains(
                "notes: 1 SYNCD (as on the server), 1 CREATED (created here)\n"))
        let journal = try self.output("journal", "notes", "1", of: "b.db")
        #expect(journal.contains("take-server: the client's value at /price lost: 2\n"), "\(journal)")
        #expect(try self.output("explain", "notes", copy, of: "b.db").contains("It was made here and not sent yet."))
        #expect(try self.output("sync", "--dry-run", of: "b.db").hasPrefix("notes \(copy): CREATED "))
        for store in ["b.db", "a.db"] { try self.shop.done("sync", "--store", store) }
        for store in ["a.db", "b.db"] {
            #expect(try self.record("1", of: store) == JSON(parsing: Self.edits.a))
            #expect(try self.record(copy, of: store) == JSON(parsing: Self.edits.b))
        }
    }

    @Test func `A record that is too large is held, and sent after it is retried`() throws {
        let small = try self.shop.serve("--max-body", "1KiB")
        for store in ["a.db", "b.db"] { try self.shop.device(store, small) }
        let text = "\"\(String(repeating: "x", count: 600))\""
        try self.shop.done("create", "--store", "a.db", "notes", "1", "{\"a\":\(text)}")
        try self.shop.done("create", "--store", "a.db", "notes", "2", #"{"n":1}"#)
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "/b", text)
        try self.shop.done("edit", "--store", "a.db", "notes", "2", "/n", "2")
        #expect(try self.shop.run("sync", "--store", "a.db").status == 3)
        let why = "held: Content Too Large: the record would have 1215 bytes; 1024 are allowed"
        #expect(
            try self.output("status", of: "a.db").contains(
                "notes: 1 SYNCD (as on the server), 1 EDITED (changed here)\n  1 is \(why)\n"))
        #expect(
            try self.output("explain", "notes", "1", of: "a.db").contains(
                "1 is EDITED.held (changed here, held back). It is \(why)."))
        #expect(try self.output("journal", "notes", of: "a.db") == "")

        _ = try small.tool.stop()
        _ = try ToolServer(
            try self.shop.start(["serve", "--store", "server.db", "--listen", small.address, "--max-body", "1MiB"]))
        #expect(try self.shop.run("sync", "--store", "a.db").status == 3, "only a retry or an edit sends it again")
        try self.shop.done("retry", "--store", "a.db", "notes", "1")
        #expect(try self.output("explain", "notes", "1", of: "a.db").contains("It is sent with the next sync."))
        try self.shop.done("sync", "--store", "a.db")
        #expect(try self.output("status", of: "a.db").contains("notes: 2 SYNCD (as on the server), in sync\n"))
        try self.shop.done("sync", "--store", "b.db", "notes")
        #expect(try self.record("1", of: "b.db") == JSON(parsing: "{\"a\":\(text),\"b\":\(text)}"))
    }
}
