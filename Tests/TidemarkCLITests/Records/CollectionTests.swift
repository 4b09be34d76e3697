import Foundation
import Testing

@Suite struct `A collection` {
    let shop: Workshop

    init() throws {
        self.shop = try Workshop()
        let server = try self.shop.serve()
        try self.shop.device("a.db", server)
        for pk in ["1", "2"] { try self.shop.done("create", "--store", "a.db", "notes", pk, #"{"pk":"\#(pk)"}"#) }
        try self.shop.done("sync", "--store", "a.db")
    }

    @Test func `A collection is exported as one record per line, and can be imported again`() throws {
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "/n", "1.10")
        try self.shop.done("delete", "--store", "a.db", "notes", "2")
        let lines = (3..<150).map { "{\"pk\":\"\($0 + 1_000)\",\n \"n\":\($0)}" }
        try self.shop.done(
            "import", "--store", "a.db", "notes", "-", "--pk", "pk", input: "[\(lines.joined(separator: ","))]")
        let export = try self.shop.run("export", "--store", "a.db", "notes")
        #expect(export.lines.count == 148)
        #expect(export.lines.first == #"{"pk":"1","record":{"pk":"1","n":1.10}}"#)
        try self.shop.done("import", "--store", "b.db", "notes", "-", input: export.output)
        #expect(try self.shop.done("export", "--store", "b.db", "notes") == export.output)
    }

    @Test func `A fully sent collection is removed, and added again by a sync of its name`() throws {
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "/n", "1")
        let refused = try self.shop.run("forget", "--store", "a.db", "notes")
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains("notes has 1 change that the server has not confirmed: 1 is EDITED"),
            "\(refused.errors)")
        #expect(try self.shop.run("list", "--store", "a.db", "notes").lines.count == 2)
        try self.shop.done("resign", "--store", "a.db", "notes", "1")
        let run = try self.shop.run("forget", "--store", "a.db", "notes")
        #expect(run.status == 0)
        #expect(run.errors == "notes: removed 2 records and 1 journal entry from a.db\n")
        #expect(try self.shop.run("status", "--store", "a.db", "--json").output == "")
        #expect(try self.shop.done("sync", "--store", "a.db", "notes") == "notes: sent 0, received 2; in sync\n")
    }

    @Test func `A pending change can be discarded, and stays in the journal (R19)`() throws {
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "/pk", #""x""#)
        try self.shop.done("resign", "--store", "a.db", "notes", "1")
        #expect(try self.shop.done("get", "--store", "a.db", "notes", "1") == "{\"pk\":\"1\"}\n")
        #expect(
            try self.shop.done("journal", "--store", "a.db").contains("resign: the client's value at /pk lost: \"x\""))
        let again = try self.shop.run("resign", "--store", "a.db", "notes", "1")
        #expect(again.status == 1)
        #expect(again.errors.contains("has no pending change: it is SYNCD"), "\(again.errors)")
    }
}
