import Foundation
import Testing

/// A rule asks about `price`, which was changed on both devices.
@Suite struct `Resolve at a terminal` {
    let shop: Workshop

    init() throws {
        self.shop = try Workshop()
        let server = try self.shop.serve()
        try self.shop.write(#"{"collections":{"notes":{"fields":{"/price":"ask"}}}}"#, to: "rules.json")
        for store in ["a.db", "b.db"] { try self.shop.device(store, server, "--rules", "rules.json") }
        try self.shop.done("create", "--store", "a.db", "notes", "1", #"{"price":1,"n":1}"#)
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.done("sync", "--store", "b.db", "notes")
        try self.shop.done("edit", "--store", "a.db", "notes", "1", "/price", "2")
        try self.shop.done("edit", "--store", "b.db", "notes", "1", "/price", "3")
        try self.shop.done("sync", "--store", "a.db")
        try #require(try self.shop.run("sync", "--store", "b.db").status == 2)
    }

    private func resolve() throws -> PseudoTerminal {
        try PseudoTerminal(["resolve", "--store", "b.db", "notes", "1"], in: self.shop.folder)
    }

    @Test func `The dialog shows three columns, asks about the field, and decides`() throws {
        let terminal = try self.resolve()
        let screen = try terminal.type("e", at: "[q]uit?")
        for word in ["notes 1: edit/edit", "/price", "base ", "| server ", "| client"] {
            #expect(screen.contains(word), "\(screen)")
        }
        try terminal.type("4", at: "JSON")
        #expect(try terminal.type("y", at: "[y]es").contains("\"price\": 4"))
        let run = try terminal.finish()
        #expect(run.status == 0, "\(run.errors)")
        try self.shop.done("sync", "--store", "b.db")
        #expect(try self.shop.done("get", "--store", "b.db", "notes", "1") == "{\"price\":4,\"n\":1}\n")
    }

    @Test func `Nothing is decided when the user quits`() throws {
        let terminal = try self.resolve()
        try terminal.type("q", at: "[q]uit?")
        let run = try terminal.finish()
        #expect(run.status == 1)
        #expect(run.errors.contains("Nothing was decided"), "\(run.errors)")
        #expect(try self.shop.done("status", "--store", "b.db").contains("1 waits for a decision"))
    }

    @Test func `A decision is rejected if the record was edited meanwhile (R22)`() throws {
        let terminal = try self.resolve()
        try terminal.type("s", at: "[q]uit?")
        try self.shop.done("edit", "--store", "b.db", "notes", "1", "/n", "2")
        try terminal.type("y", at: "[y]es")
        let run = try terminal.finish()
        #expect(run.status == 1)
        #expect(run.errors.contains("has changed since you were asked"), "\(run.errors)")
        #expect(try self.shop.done("conflicts", "--store", "b.db", "--json").contains(#""client":{"price":3,"n":2}"#))
    }

    @Test func `Without a terminal the command lists the options, and exits with 64`() throws {
        let run = try self.shop.run("resolve", "--store", "b.db", "notes", "1", input: "s\ny\n")
        #expect(run.status == 64)
        for way in ["--take", "--use", "--keep-both"] { #expect(run.errors.contains(way), "\(run.errors)") }
    }
}
