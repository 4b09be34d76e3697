import Foundation
import Testing
import Tidemark

@testable import TidemarkCLI

/// One field has different values on two devices, and the tactic asks the user.
@Suite struct `A conflict that waits for the user` {
    let shop: Workshop
    let server: ToolServer

    init() throws {
        self.shop = try Workshop()
        self.server = try self.shop.serve()
        try self.shop.device("a.db", self.server)
        try self.shop.device("b.db", self.server, "--tactic", "ask-user")
        try self.shop.done("create", "--store", "a.db", "notes", "1", #"{"title":"Milk","n":1}"#)
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.done("sync", "--store", "b.db", "notes")
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "/title", #""Oat""#)
        try self.shop.done("edit", "--store", "b.db", "notes", "1", "/title", #""Soy""#)
        try self.shop.done("sync", "--store", "a.db")
        let run = try self.shop.run("sync", "--store", "b.db")
        try #require(run.status == 2, "\(run.errors)")
        #expect(run.errors.contains("1 conflict to decide: tidemark conflicts --store b.db"))
    }

    /// The records of both devices after each has synced.
    private func views() throws -> [String] {
        for store in ["b.db", "a.db"] { try self.shop.done("sync", "--store", store) }
        return try ["a.db", "b.db"].map { try self.shop.done("list", "--store", $0, "notes") }
    }

    @Test func `A conflict is printed with both sides, the base and the clash`() throws {
        let line = try self.shop.done("conflicts", "--store", "b.db", "--json")
        #expect(line.hasPrefix(#"{"collection":"notes","pk":"1","kind":"edit/edit","updated_at":1"#), "\(line)")
        #expect(
            line.hasSuffix(
                #","base":{"title":"Milk","n":1},"server":{"title":"Oat","n":1},"client":{"title":"Soy","n":1},"#
                    + #""clashes":[{"path":"/title","base":"Milk","server":"Oat","client":"Soy"}]}"# + "\n"), "\(line)")
        let text = try self.shop.done("conflicts", "--store", "b.db", "notes")
        #expect(text.contains("tidemark resolve --store b.db --take server notes 1  # or --take client"))
    }

    @Test func `A conflict is explained, and its record can be read and edited`() throws {
        let line = try self.shop.done("explain", "--store", "b.db", "notes", "1", "--json")
        #expect(
            line.hasPrefix(#"{"pk":"1","phase":"EDITED.deciding","why":"It was changed here and on the server"#),
            "\(line)")
        #expect(line.contains(#","next":"The user has to decide"#), "\(line)")
        try self.shop.done("edit", "--store", "b.db", "notes", "1", "/n", "2")
        #expect(try self.shop.done("get", "--store", "b.db", "notes", "1") == "{\"title\":\"Soy\",\"n\":2}\n")
    }

    /// Without settings of the tool the store is that of an app, whose rules the tool does not know.
    @Test func `the tool decides no conflict in the store of an app (R28)`() throws {
        let app = try SQLiteStore(path: self.shop.path("b.db"))
        try app.transaction { () throws(TidemarkError) in try app.set(StoreSettings.key, to: nil) }
        app.close()
        try self.shop.done("edit", "--store", "b.db", "notes", "1", "/n", "2")
        #expect(try self.shop.done("list", "--store", "b.db", "notes").hasPrefix("1\tEDITED.deciding\t"))
        #expect(try self.shop.done("journal", "--store", "b.db", "notes") == "")
        try self.shop.done("resolve", "--store", "b.db", "notes", "1", "--take", "client")
        #expect(try !self.shop.done("list", "--store", "b.db", "notes").contains("deciding"))
    }

    @Test(arguments: [("server", "Oat"), ("client", "Soy")])
    func `resolve keeps the given side, and journals the other`(_ side: String, _ title: String) throws {
        try self.shop.done("resolve", "--store", "b.db", "notes", "1", "--take", side)
        #expect(try self.views().allSatisfy { $0 == "1\tSYNCD\t{\"title\":\"\(title)\",\"n\":1}\n" })
        let journal = try self.shop.run("journal", "--store", "b.db", "notes", "1", "--json").lines
        let (lost, value) = side == "server" ? ("client", "Soy") : ("server", "Oat")
        #expect(
            journal == [
                #"{"entry":1,"collection":"notes","pk":"1","reason":"take-\#(side)","lost":"\#(lost)","path":"/title","value":"\#(value)"}"#
            ])
    }

    @Test func `restore brings a lost value to both devices`() throws {
        try self.shop.done("resolve", "--store", "b.db", "notes", "1", "--take", "server")
        try self.shop.done("restore", "--store", "b.db", "notes", "1")
        #expect(try self.views().allSatisfy { $0 == "1\tSYNCD\t{\"title\":\"Soy\",\"n\":1}\n" })
    }

    @Test func `resolve with --use keeps the record that is read from a file`() throws {
        try self.shop.done(
            "resolve", "--store", "b.db", "notes", "1", "--use", "-", input: #"{"title":"Oat and Soy","n":1}"#)
        #expect(try self.views().allSatisfy { $0 == "1\tSYNCD\t{\"title\":\"Oat and Soy\",\"n\":1}\n" })
    }

    @Test func `resolve keeps both records, and prints the new pk`() throws {
        let pk = try self.shop.done("resolve", "--store", "b.db", "notes", "1", "--keep-both").dropLast()
        let rows: [String] = ["1\tSYNCD\t{\"title\":\"Oat\",\"n\":1}", "\(pk)\tSYNCD\t{\"title\":\"Soy\",\"n\":1}"]
        for view in try self.views() {
            let shown: [String] = view.split(separator: "\n").map(String.init)
            #expect(Set(shown) == Set(rows))
        }
    }

    @Test func `The status lists a conflict`() throws {
        let line = try self.shop.done("status", "--store", "b.db", "--json")
        #expect(
            line.hasPrefix(
                #"{"collection":"notes","counts":{"SYNCD":0,"EDITED":1,"CREATED":0,"DELETED":0},"conflicts":["1"],"held":[],"#
            ),
            "\(line)")
        #expect(try self.shop.done("status", "--store", "b.db").contains("1 waits for a decision"))
    }
}
