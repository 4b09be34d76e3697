import Testing
import TidemarkCore
import TidemarkInspector

@Suite struct `A request to a loopback responder` {
    private func read(_ text: String) throws -> LoopbackRequest? { try LoopbackRequest.read(Array(text.utf8)) }

    private func refusal(_ text: String) -> LoopbackRequest.Refusal? {
        do throws(LoopbackRequest.Refusal) {
            _ = try LoopbackRequest.read(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `has a path, a decoded query, and fields by their names in lower case`() throws {
        let request = try #require(
            try self.read(
                "GET /api/record?collection=no+tes&pk=a%2Fb%C3%A9&pk=2&x HTTP/1.1\r\nHost: h\r\nX-Y:  z \t\r\n\r\n"))
        #expect(request.method == .get && request.path == "/api/record")
        #expect(request.query == ["collection": "no tes", "pk": "a/bé", "x": ""])
        #expect(request.headers == ["host": "h", "x-y": "z"])
        #expect(request.body == [])
    }

    @Test func `is read from any number of pieces`() throws {
        let bytes = Array("POST /api/act HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello".utf8)
        for count in 0..<bytes.count { #expect(try LoopbackRequest.read(Array(bytes[..<count])) == nil) }
        #expect(try LoopbackRequest.read(bytes)?.body == Array("hello".utf8))
    }

    @Test(arguments: [
        ("GET http://127.0.0.1/ HTTP/1.1\r\n\r\n", LoopbackRequest.Refusal.badRequest),
        ("GET //evil/ HTTP/1.1\r\n\r\n", .badRequest), ("GET * HTTP/1.1\r\n\r\n", .badRequest),
        ("GET /#x HTTP/1.1\r\n\r\n", .badRequest), ("GET /?%zz HTTP/1.1\r\n\r\n", .badRequest),
        ("GET /?%ff HTTP/1.1\r\n\r\n", .badRequest), ("GET  / HTTP/1.1\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nHost: a\r\nhOST: b\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .badRequest), ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", .badRequest), ("GET / HTTP/1.1\r\n: a\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", .badRequest), ("GET / HTTP/1.1\r\nHost: a\rX\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nHost: \u{7f}\r\n\r\n", .badRequest), ("GET / HTTP/1.1\r\nHost: é\r\n\r\n", .badRequest),
        ("GET / HTTP/1.0\r\n\r\n", .versionNotSupported), ("GET / HTTP/2\r\n\r\n", .versionNotSupported),
        ("GET /\r\n\r\n", .badRequest), ("OPTIONS / HTTP/1.1\r\n\r\n", .methodNotAllowed),
        ("get / HTTP/1.1\r\n\r\n", .methodNotAllowed), ("HEAD / HTTP/1.1\r\n\r\n", .methodNotAllowed),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", .notImplemented),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc", .notImplemented),
        ("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n", .notImplemented),
        ("POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\nabc", .badRequest),
        ("POST / HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\nabc", .badRequest),
        ("POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", .badRequest),
        ("POST / HTTP/1.1\r\nContent-Length: \r\n\r\nabc", .badRequest),
        ("POST / HTTP/1.1\r\nContent-Length: 1048577\r\n\r\n", .contentTooLarge),
        ("POST / HTTP/1.1\r\nContent-Length: 9999999999\r\n\r\n", .badRequest),
        ("GET / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", .badRequest),
        ("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n", .badRequest),
    ])
    func `is refused if another program could read it in another way`(text: String, refusal: LoopbackRequest.Refusal) {
        #expect(self.refusal(text) == refusal, "\(text)")
    }

    @Test func `has a head of at most 8 KiB`() {
        let long = "GET / HTTP/1.1\r\nX: " + String(repeating: "a", count: LoopbackRequest.headLimit)
        #expect(self.refusal(long) == .headTooLarge)
        #expect(self.refusal(long + "\r\n\r\n") == .headTooLarge)
    }

    /// Bytes are changed, removed and doubled. Whatever is read has what the parser promises, and a part of it is never refused
    /// before the whole would be.
    @Test(arguments: 1...8)
    func `is read or refused, whatever the bytes are`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let samples = [
            "GET /api/data?since=4&a=%41+b HTTP/1.1\r\nHost: 127.0.0.1:1\r\nOrigin: http://127.0.0.1:1\r\n\r\n",
            "POST /api/act HTTP/1.1\r\nHost: 127.0.0.1:1\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"action\":1}",
        ].map { Array($0.utf8) }
        let signs = Array("\r\n\t :/?%&=#*GETPOST0123456789\0é".utf8)
        for _ in 0..<5_000 {
            var bytes = samples[Int.random(in: 0..<samples.count, using: &random)]
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                let sign = signs[Int.random(in: 0..<signs.count, using: &random)]
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = sign
                case 1: bytes.insert(sign, at: index)
                case 2: bytes.remove(at: index)
                default: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
                }
            }
            let whole = Result { () throws(LoopbackRequest.Refusal) in try LoopbackRequest.read(bytes) }
            let part = bytes.prefix(Int.random(in: 0...bytes.count, using: &random))
            let early = Result { () throws(LoopbackRequest.Refusal) in try LoopbackRequest.read(Array(part)) }
            if case .success(let request?) = whole {
                #expect(request.path.hasPrefix("/") && !request.path.hasPrefix("//"))
                #expect(request.headers["transfer-encoding"] == nil)
                #expect(request.method == .post || request.body.isEmpty)
                guard case .success(let partial) = early else { Issue.record("a part is refused: \(bytes)"); continue }
                #expect(partial == nil || part.count == bytes.count)
            }
        }
    }
}
