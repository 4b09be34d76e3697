import Foundation
import Testing

@Suite struct `The last merge of a record` {
    let shop: Workshop

    /// Two devices changed a field each, and one field both.
    init() throws {
        self.shop = try Workshop()
        let server = try self.shop.serve()
        for store in ["a.db", "b.db"] { try self.shop.device(store, server) }
        try self.shop.done("create", "--store", "a.db", "notes", "1", #"{"title":"Milk","n":1,"done":false}"#)
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.done("sync", "--store", "b.db", "notes")
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "/title", #""Oat""#)
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "/n", "2")
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.done("edit", "--store", "b.db", "notes", "1", "/title", #""Soy""#)
        try self.shop.done("edit", "--store", "b.db", "notes", "1", "/done", "true")
        try self.shop.done("sync", "--store", "b.db")
    }

    @Test func `explain lists the last merge path by path`() throws {
        let line = try self.shop.done("explain", "--store", "b.db", "notes", "1", "--json")
        #expect(line.contains(#","last_merge":{"updated_at":1"#), "\(line)")
        #expect(
            line.hasSuffix(#","from_here":["/done","/title"],"from_server":["/n"],"on_both":["/title"]}}"# + "\n"),
            "\(line)")
        let text = try self.shop.done("explain", "--store", "b.db", "notes", "1")
        #expect(
            text.hasSuffix(
                """
                :
                  kept from this device:
                    /done
                    /title
                  taken from the server:
                    /n
                  changed on both sides:
                    /title

                """), "\(text)")
    }

    @Test func `explain has no last merge if nothing was merged`() throws {
        let line = try self.shop.done("explain", "--store", "a.db", "notes", "1", "--json")
        #expect(!line.contains("last_merge"), "\(line)")
        #expect(try !self.shop.done("explain", "--store", "a.db", "notes", "1").contains("merge"))
    }

    @Test func `explain names values that another client replaced, if the store journals them`() throws {
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.done("init", "--store", "a.db", "--journal-replaced", "30d")
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "/title", #""Rye""#)
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.done("sync", "--store", "b.db")
        try self.shop.done("edit", "--store", "b.db", "notes", "1", "/title", #""Rice""#)
        try self.shop.done("sync", "--store", "b.db")
        try self.shop.done("sync", "--store", "a.db")
        let text = try self.shop.done("explain", "--store", "a.db", "notes", "1")
        #expect(
            text.hasSuffix("Another client replaced /title, which this store had sent: entry 1 of the journal.\n"),
            "\(text)")
        #expect(try self.shop.done("explain", "--store", "a.db", "notes", "1", "--json").contains(#","replaced":[1]}"#))
        #expect(try self.shop.done("journal", "--store", "a.db", "notes").contains("replaced"))
        try self.shop.done("init", "--store", "a.db", "--no-journal-replaced")
        let both = try self.shop.run("init", "--store", "a.db", "--no-journal-replaced", "--journal-replaced", "1d")
        #expect(both.status != 0 && both.errors.contains("give no time with it"), "\(both)")
    }
}
