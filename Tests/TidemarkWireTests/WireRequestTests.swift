import Testing
import TidemarkCore
import TidemarkWire

@Suite struct `A request on the wire (Contract §5)` {
    @Test(
        arguments: [
            ("notes", "/notes"), ("to do", "/to%20do"), ("a/b?c#d", "/a%2Fb%3Fc%23d"), ("é", "/%C3%A9"),
            ("100%", "/100%25"), (".", "/%2E"), ("..", "/%2E%2E"), ("...", "/..."), ("A-z_0.9~", "/A-z_0.9~"),
            ("a+b&c=d", "/a%2Bb%26c%3Dd"), ("\u{0}", "/%00"),
        ])
    func `the collection is one segment of the path`(name: String, path: String) {
        let wire = WireRequest(ExchangeRequest(collection: name, cursor: nil, limit: 5))
        #expect(wire.path == path)
        #expect(wire.target == "\(path)?limit=5")
        #expect(wire.method == "GET")
        #expect(wire.body == nil)
    }

    @Test func `the cursor is an opaque text in the query`() {
        let wire = WireRequest(ExchangeRequest(collection: "n", cursor: "a+b&limit=1 é", limit: 9))
        #expect(wire.query == "max_updated_at=a%2Bb%26limit%3D1%20%C3%A9&limit=9")
    }

    static let tokens: [(cursor: String?, seen: String?, query: String)] = [
        ("w", "s", "max_updated_at=w&seen=s&limit=9"), (nil, "s", "seen=s&limit=9"),
        ("w", nil, "max_updated_at=w&limit=9"),
        ("w", "a+b&limit=1 é", "max_updated_at=w&seen=a%2Bb%26limit%3D1%20%C3%A9&limit=9"),
    ]

    @Test(arguments: Self.tokens)
    func `the newest cursor is in the query as seen, if the request has one`(
        cursor: String?, seen: String?, query: String
    ) {
        let wire = WireRequest(ExchangeRequest(collection: "n", cursor: cursor, seen: seen, limit: 9))
        #expect(wire.query == query)
    }

    @Test func `the bytes of the edits go unchanged into the body (I5, R17)`() throws {
        let edits = [
            #"{ "request_id": "r", "pk" : "caf\u00e9", "sync_state":"DELETED", "n": 1.10 }"#,
            #"{"sync_state":"DELETED","pk":"a","request_id":"s"}"#,
        ]
        let request = ExchangeRequest(
            collection: "n", uploads: try edits.map { try UploadRequest(encodedEdit: Array($0.utf8)) }, cursor: "w",
            limit: 1)
        let wire = WireRequest(request)
        #expect(wire.method == "POST")
        #expect(wire.body == Array(#"{"edits":[\#(edits[0]),\#(edits[1])]}"#.utf8))
        #expect(wire.headers.contains { $0 == ("Content-Type", "application/json") })
    }
}
