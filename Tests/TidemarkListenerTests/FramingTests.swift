import Foundation
import Testing
import TidemarkListener
import TidemarkServer

@Suite("Framing that RFC 9112 forbids", .serialized, .timeLimit(.minutes(10)))
struct FramingTests {
    @Test(arguments: [
        // With a valid body, since an invalid one is 400 as well.
        "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 12\nTransfer-Encoding: chunked\n\n"
            + "c\n{\"edits\":[]}\n0\n\n",
        "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 2\nContent-Length: 3\n\n{}!",
        "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 2\nContent-Length: 2\n\n{}",
        "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length : 2\n\n{}",
        "POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: foo\n\n0\n\n",
        "POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: gzip, chunked\n\n0\n\n",
        "POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\nTransfer-Encoding: chunked\n\n0\n\n",
        "POST /v1/notes HTTP/1.0\nTransfer-Encoding: chunked\n\n0\n\n",
        "GET /v1/notes HTTP/1.1\nAccept: */*\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\nHost: y\n\n",
        "GET /v1/no tes HTTP/1.1\nHost: x\n\n",
        "GET /v1/no\u{0}tes HTTP/1.1\nHost: x\n\n",
        "GET /v1/notes?a=\u{0}b HTTP/1.1\nHost: x\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\nAuthorization: Bearer t1\u{0}junk\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\nAuthorization: Bearer t1\u{0}junk\nAccept: */*\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\nAccept: a\n b\n\n",
        // The library ends its strings with NUL: a NUL before the end of a line looks like that end.
        "GET /v1/notes?limit=1\u{0} HTTP/1.1\nHost: x\n\n",
        "GET\u{0} /v1/notes HTTP/1.1\nHost: x\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\u{0}\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\u{0}\nAccept: */*\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\nX:\u{0}\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\nX: \u{0}\nAccept: */*\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\n\u{0}\n\n",
        "GET /v1/notes HTTP/1.0\n\u{0}\n\n",
        "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 2\u{0}\n\n{}",
        "POST /v1/notes HTTP/1.1\nContent-Length: 2\u{0}\nHost: x\n\n{}",
        "POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\u{0}\n\n0\n\n",
        "POST /v1/notes HTTP/1.1\nTransfer-Encoding: chunked\u{0}\nHost: x\n\n0\n\n",
        "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 2 \n\n{}",
        "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 2\t\n\n{}",
        "POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked \n\n0\n\n",
    ])
    func `ambiguous framing is 400, and ends the connection`(
        request: String
    ) throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send(request + "GET /v1/smuggled HTTP/1.1\nHost: x\n\n")
        let answer = try client.answer()
        #expect(answer.status == 400)
        #expect(answer["connection"] == "close")
        client.finishSending()
        #expect(throws: SocketClient.Ended.self, "bytes after it are not answered") { try client.answer() }
    }

    @Test(arguments: ["-1", "+2", "0x2", "2a", "2 2", "2,2", "1.0", "", "--"])
    func `a length that is not a number is 400, once`(length: String) throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: \(length)\n\n{}")
        #expect(try client.answer().status == 400)
        client.finishSending()
        #expect(throws: SocketClient.Ended.self, "no second answer") { try client.answer() }
    }

    @Test(arguments: [(1, "-1", 400), (3, "-1", 400), (1, "99999999999999999999999", 413)])
    func `a length that is not a number is refused while other clients send a head`(
        count: Int, length: String, status: Int
    ) throws {
        let server = try RunningServer()
        let others = try (0..<count).map { _ in try server.connect() }
        for other in others {
            other.send("GET /v1/notes HTTP/1.1\nHost: x\n")
        }
        #expect(try server.answer("POST", "/v1/notes", headers: "Content-Length: \(length)\n").status == status)
        for other in others {
            other.send("\n")
            #expect(try other.answer().status == 200)
        }
    }

    /// Requests that libmicrohttpd refuses by itself, with its own page.
    static let nonsense: [(request: String, status: Int)] = [
        ("GET /v1/notes HTTP/3.0\nHost: x\n\n", 505), ("GET /v1/notes HTTQ/1.1\nHost: x\n\n", 400),
        ("POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\nzz\n{}\n0\n\n", 400),
        ("POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n2\n{}xx0\n\n", 400),
        ("POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\nfffffffffffffffff\n{}", 413),
        ("GET /v1/notes HTTP/1.1\nX: " + String(repeating: "x", count: 300 << 10) + "\n\n", 431),
        ("GET /v1/" + String(repeating: "x", count: 300 << 10) + " HTTP/1.1\nHost: x\n\n", 414),
    ]

    @Test(arguments: Self.nonsense, ["", "GET /v1/notes HTTP/1.1\nHost: x\n\n"])
    func `a malformed request is refused once, and ends its connection alone`(
        nonsense: (request: String, status: Int), before: String
    ) throws {
        let server = try RunningServer()
        let others = try (0..<3).map { _ in try server.connect() }
        for other in others {
            other.send("POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n6\n{\"edit\n")
        }
        let client = try server.connect()
        if !before.isEmpty {
            client.send(before)
            #expect(try client.answer().status == 200)
        }
        client.send(nonsense.request)
        let answer = try client.answer()
        #expect(answer.status == nonsense.status)
        client.finishSending()
        let end = #expect(throws: SocketClient.Ended.self) { try client.answer() }
        #expect(end?.after == [], "no second answer")
        for other in others {
            other.send("6\ns\":[]}\n0\n\n")
            #expect(try other.answer().status == 200, "no other connection is closed")
        }
    }

    @Test func `a target over the limit is 414, as a problem`() throws {
        let server = try RunningServer()
        let answer = try server.answer("GET", "/v1/notes?max_updated_at=" + String(repeating: "x", count: 17 << 10))
        #expect(answer.status == 414)
        #expect(answer["content-type"] == "application/problem+json")
        #expect(answer.text.contains(#""code":"target-too-long""#))
        let atLimit = "/v1/notes?x=" + String(repeating: "x", count: (16 << 10) - 12)
        #expect(try server.answer("GET", atLimit).status == 200)
    }

    @Test(arguments: [(1, 70 << 10), (1_200, 60)])
    func `a head over the limit is 431`(fields: Int, bytes: Int) throws {
        let server = try RunningServer()
        let field = String(repeating: "x", count: bytes)
        let headers = (0..<fields).map { "X-\($0): \(field)\n" }.joined()
        let answer = try server.answer("GET", "/v1/notes", headers: headers)
        #expect(answer.status == 431)
        #expect(answer["connection"] == "close")
        // The library refuses more fields than its memory has room for.
        #expect(fields > 1_000 || answer.text.contains(#""code":"head-too-large""#))
    }

    @Test func `a request with a thousand fields is accepted`() throws {
        let server = try RunningServer()
        let headers = (0..<1_000).map { "X-\($0): some value\n" }.joined()
        #expect(try server.answer("GET", "/v1/notes", headers: headers).status == 200)
    }

    @Test(arguments: [
        ("http://tidemark.example/v1/notes/a", 200), ("HTTPS://tidemark.example:8443/v1/notes/a?x=http://y/", 200),
        ("http://tidemark.example/v1/no-such/a", 404), ("http://tidemark.example", 404),
        ("http://tidemark.example?/v1/notes/a", 404), ("http:///v1/notes/a", 404), ("ftp://x/v1/notes/a", 404),
        ("*", 404),
    ])
    func `a target in absolute form is its path and query (RFC 9112 §3.2.2)`(target: String, status: Int) throws {
        let server = try RunningServer()
        try server.fill("a", bytes: 1)
        let answer = try server.answer("GET", target)
        #expect(answer.status == status)
        #expect(answer["content-type"] == (status == 200 ? "application/json" : "application/problem+json"))
    }

    @Test func `an extension of a chunk is ignored (RFC 9112 §7.1.1)`() throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n")
        client.send("c;a=b\n{\"edits\":[]}\n0;c=\"d\"\nX: trailer\n\n")
        #expect(try client.answer().status == 200)
    }

    /// Bodies in chunks whose end is ambiguous: the library accepts a bare LF as the end of a line.
    static let endsInTwoWays = [
        "c;\n{\"edits\":[]}\r\n0\r\n\r\n", "c\n{\"edits\":[]}\r\n0\r\n\r\n", "c\r\n{\"edits\":[]}\n0\r\n\r\n",
        "c\r\n{\"edits\":[]}\r\n0;\n\r\n", "c\r\n{\"edits\":[]}\r\n0\r\nX: t\n\n", "c\r\n{\"edits\":[]}\r\n0\n\n",
        "c;\r\u{0}\n{\"edits\":[]}\r\n0\r\n\r\n", "c\r\n{\"edits\":[]}\r\n0\r\n\r\n",
    ]

    @Test(arguments: Self.endsInTwoWays)
    func `a request in chunks is the last one of its connection (RFC 9112 §11.2)`(body: String) throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n")
        client.send(Array("\(body)GET /v1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n\r\n0\r\n\r\n".utf8))
        let answer = try client.answer()
        #expect(answer.status == 200)
        #expect(answer["connection"]?.lowercased() == "close")
        let end = #expect(throws: SocketClient.Ended.self) { try client.answer() }
        #expect(end?.after == [], "bytes after it are not answered")
    }

    @Test func `a length beyond the integer range is 413`() throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 18446744073709551615\n\n")
        let answer = try client.answer()
        #expect(answer.status == 413)
        #expect(answer["content-type"] == "application/problem+json")
    }

    @Test(arguments: [
        "GET /v1/notes HTTP/1.0\n\n", "GET /v1/notes HTTP/1.1\nHost:x\nAuthorization:   Bearer tok   \nX:\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\n\n", "GET /v1/notes?%00 HTTP/1.1\nHost: x\nAccept: a, b\nAccept: c\n\n",
        "GET /v1/notes HTTP/1.1\nHost: x\nCookie: =;a=\"b;,;c\n\n", "GET /v1/notes HTTP/1.0\nCookie: =;a=\"b;,;c\n\n",
        "POST /v1/notes HTTP/1.1\nhost: x\ntransfer-encoding: Chunked\n\nc\n{\"edits\":[]}\n0\n\n",
    ])
    func `valid framing is answered`(request: String) throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send(request)
        #expect(try client.answer().status == 200)
    }

    @Test func `an unauthorized body in chunks is 401 before it is read (W10, L01)`() throws {
        let server = try RunningServer(tokens: ["t1"])
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n")
        // No chunk is sent.
        let answer = try client.answer()
        #expect(answer.status == 401)
        #expect(answer["www-authenticate"] == "Bearer")
        #expect(answer["connection"] == "close")
    }

    @Test(arguments: ["Basic t1", "Bearer", "t1", "Bearer t1 t1", "Bearer t1, Bearer t1"])
    func `an Authorization other than Bearer and a token is 401 (W10, S20)`(field: String) throws {
        let server = try RunningServer(tokens: ["t1"])
        #expect(try server.answer("GET", "/v1/notes", headers: "Authorization: \(field)\n").status == 401)
        let twice = "Authorization: Bearer t1\nAuthorization: \(field)\n"
        #expect(try server.answer("GET", "/v1/notes", headers: twice).status == 400)
    }
}
