import Testing

/// Both devices changed the price, which a rule asks about; each also changed another field.
@Suite struct `An answer about one field` {
    let shop: Workshop
    let server: ToolServer

    init() throws {
        self.shop = try Workshop()
        self.server = try self.shop.serve()
        try self.shop.write(#"{"collections":{"notes":{"fields":{"/price":"ask"}}}}"#, to: "rules.json")
        try self.shop.device("a.db", self.server)
        try self.shop.device("b.db", self.server, "--rules", "rules.json")
        try self.shop.done("create", "--store", "a.db", "notes", "1", #"{"title":"Milk","price":1,"shop":"corner"}"#)
        try self.shop.done("sync", "--store", "a.db")
        try self.shop.done("sync", "--store", "b.db")
        for (path, value) in [("/price", "2"), ("/shop", #""market""#)] {
            try self.shop.done("edit", "--store", "a.db", "notes", "1", path, value)
        }
        for (path, value) in [("/price", "3"), ("/title", #""Oat milk""#)] {
            try self.shop.done("edit", "--store", "b.db", "notes", "1", path, value)
        }
        try self.shop.done("sync", "--store", "a.db")
        try #require(try self.shop.run("sync", "--store", "b.db").status == 2)
    }

    @Test(arguments: [("server", 2, "client", 3), ("client", 3, "server", 2)])
    func `--take decides the clashing field, and keeps the other changes`(
        side: String, price: Int, loser: String, lost: Int
    ) throws {
        try self.shop.done("resolve", "--store", "b.db", "notes", "1", "--take", side)
        for store in ["b.db", "a.db"] { try self.shop.done("sync", "--store", store) }
        let view = "{\"title\":\"Oat milk\",\"price\":\(price),\"shop\":\"market\"}\n"
        for store in ["a.db", "b.db"] { #expect(try self.shop.done("get", "--store", store, "notes", "1") == view) }
        #expect(
            try self.shop.run("journal", "--store", "b.db", "notes", "1", "--json").lines == [
                #"{"entry":1,"collection":"notes","pk":"1","reason":"take-\#(side)","lost":"\#(loser)","path":"/price","value":\#(lost)}"#
            ])
    }

    @Test(arguments: [
        ("server", #"{"title":"Milk","price":2,"shop":"market"}"#),
        ("client", #"{"title":"Oat milk","price":3,"shop":"corner"}"#),
    ])
    func `--take with --whole keeps the whole record of a side`(side: String, view: String) throws {
        try self.shop.done("resolve", "--store", "b.db", "notes", "1", "--take", side, "--whole")
        for store in ["b.db", "a.db"] { try self.shop.done("sync", "--store", store) }
        for store in ["a.db", "b.db"] {
            #expect(try self.shop.done("get", "--store", store, "notes", "1") == view + "\n")
        }
        #expect(try self.shop.run("journal", "--store", "b.db", "notes", "1", "--json").lines.count == 2)
    }

    @Test func `Contradicting decisions are rejected`() throws {
        for words in [["--whole"], ["--keep-both", "--whole"]] {
            let run = try self.shop.run(["resolve", "--store", "b.db", "notes", "1"] + words)
            #expect(run.status == 64)
            #expect(run.errors.contains("--take server --whole"), "\(run.errors)")
        }
    }
}
