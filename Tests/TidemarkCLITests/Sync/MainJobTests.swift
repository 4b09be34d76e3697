import Foundation
import Testing

/// The main task on real input (Contract §8): two stores, edits on both, a server over TCP.
@Suite struct `Two devices` {
    /// Text that a conversion to Double, String normalization or new escapes would change.
    private static let odd = #"""
        [
          {"id":"e-1", "type":"PushEvent","actor":{"login":"zo\u00eb","id":138052,"url":"https:\/\/api.example\/zo%C3%AB"},
           "price":1.10,"big":12345678901234567890,"huge":1e400,"zero":-0,"e":1E+2,"note":"tab\there \ud83d\ude00 é é"},
          {"id":"e-2","type":"WatchEvent","tags":["a","b"],"empty":{},"none":null,"price":0.30,"nested":{"b":1,"a":2.50}},
          {"type":"ForkEvent","id":"e-3","title":"C++ \"quoted\" \\ back","lines":[{"sku":1,"n":1.0},{"sku":"1","n":1}]}
        ]
        """#

    /// A few hundred records of one kind, so that a sync takes several pages and batches.
    private static let many = (0..<700).map { number in
        #"{"id":\#(number),"name":"item \#(number)","price":\#(number).10,"tags":["t\#(number % 7)"]}"#
    }.joined(separator: "\n")

    private static func data(_ shop: Workshop, _ store: String, _ collection: String, _ pk: String) throws -> String {
        try shop.done("get", "--store", store, collection, pk)
    }

    @Test func `Two devices edit, sync and agree, and keep untouched records byte for byte`() throws {
        let shop = try Workshop()
        try shop.write(Self.odd, to: "events.json")
        try shop.write(Self.many, to: "items.ndjson")
        try shop.done("import", "--store", "a.db", "events", "events.json", "--pk", "id")
        try shop.done("import", "--store", "a.db", "items", "items.ndjson", "--pk", "id")
        let server = try shop.serve("--page", "100")
        try shop.device("a.db", server)
        try shop.device("b.db", server)
        try shop.done("sync", "--store", "a.db")
        #expect(
            try shop.done("sync", "--store", "b.db", "events", "items") == """
                events: sent 0, received 3; in sync
                items: sent 0, received 700; in sync

                """)

        try shop.done("edit", "--store", "a.db", "events", "e-1", "/note", #""changed on a""#)
        try shop.done("edit", "--store", "b.db", "events", "e-1", "/price", "2.20")
        try shop.done("edit", "--store", "a.db", "events", "e-2", "/tags", #"["a"]"#)
        try shop.done("edit", "--store", "b.db", "events", "e-2", "/tags", #"["b"]"#)
        try shop.done("delete", "--store", "a.db", "items", "5")
        try shop.done("edit", "--store", "b.db", "items", "6", "/name", #""six""#)
        try shop.done("create", "--store", "b.db", "items", "new", #"{"id":"new","price":9.90}"#)
        for store in ["a.db", "b.db", "a.db"] { try shop.done("sync", "--store", store) }

        for collection in ["events", "items"] {
            let views = try ["a.db", "b.db"].map { try shop.done("list", "--store", $0, collection, "--json") }
            #expect(views[0] == views[1])
            #expect(try shop.done("list", "--store", "a.db", collection, "--state", "EDITED") == "")
        }
        let event =
            #"{"id":"e-1","type":"PushEvent","actor":{"login":"zo\u00eb","id":138052,"url":"https:\/\/api.example\/zo%C3%AB"},"#
            + #""price":2.20,"big":12345678901234567890,"huge":1e400,"zero":-0,"e":1E+2,"note":"changed on a"}"#
        #expect(try Self.data(shop, "a.db", "events", "e-1") == "\(event)\n")
        let fork =
            #"{"type":"ForkEvent","id":"e-3","title":"C++ \"quoted\" \\ back","lines":[{"sku":1,"n":1.0},{"sku":"1","n":1}]}"#
        #expect(try Self.data(shop, "b.db", "events", "e-3") == "\(fork)\n")
        #expect(try Self.data(shop, "b.db", "events", "e-2").contains(#""tags":["b"]"#))
        #expect(try shop.run("journal", "--store", "b.db", "events", "e-2", "--json").lines.count == 1)

        let items = try shop.run("list", "--store", "b.db", "items", "--json").lines
        #expect(items.count == 700)
        for line in Self.many.split(separator: "\n") where !line.contains("\"id\":5,") && !line.contains("\"id\":6,") {
            #expect(items.contains { $0.contains("\"data\":\(line),\"upload\":null") }, "\(line)")
        }
    }
}
