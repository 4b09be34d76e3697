import Testing
import TidemarkCore

@Suite struct `A request on the wire (SPEC §5)` {
    @Test(
        arguments: [
            ("notes", "/notes"), ("to do", "/to%20do"), ("a/b?c#d", "/a%2Fb%3Fc%23d"), ("é", "/%C3%A9"),
            ("100%", "/100%25"), (".", "/%2E"), ("..", "/%2E%2E"), ("...", "/..."), ("A-z_0.9~", "/A-z_0.9~"),
            ("a+b&c=d", "/a%2Bb%26c%3Dd"), ("\u{0}", "/%00"),
        ])
    func `the collection is one segment of the path`(name: String, path: String) {
        let wire = WireRequest(ExchangeRequest(collection: name, watermark: nil, limit: 5))
        #expect(wire.path == path)
        #expect(wire.target == "\(path)?limit=5")
        #expect(wire.method == "GET")
        #expect(wire.body == nil)
    }

    @Test func `the watermark is an opaque text in the query`() {
        let wire = WireRequest(ExchangeRequest(collection: "n", watermark: "a+b&limit=1 é", limit: 9))
        #expect(wire.query == "max_updated_at=a%2Bb%26limit%3D1%20%C3%A9&limit=9")
    }

    @Test func `I5 R17 the bytes of the edits go into the body as they are`() {
        let edits = [#"{ "pk" : "caf\u00e9", "n": 1.10 }"#, "{}"]
        let request = ExchangeRequest(
            collection: "n", edits: edits.map { Array($0.utf8) }, watermark: "w", limit: 1)
        let wire = WireRequest(request)
        #expect(wire.method == "POST")
        #expect(wire.body == Array(#"{"edits":[{ "pk" : "caf\u00e9", "n": 1.10 },{}]}"#.utf8))
        #expect(wire.headers.contains { $0 == ("Content-Type", "application/json") })
    }
}
