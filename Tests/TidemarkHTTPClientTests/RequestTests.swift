import CannedHTTP
import Foundation
import Testing
import TidemarkHTTPClient

@Suite(.timeLimit(.minutes(10))) struct `A request` {
    @Test(arguments: ["GET", "HEAD", "DELETE", "OPTIONS", "PROPFIND"])
    func `a request of any method is sent without a body`(method: String) async throws {
        let server = try CannedServer(.http("200 OK"))
        let answer = try await HTTPClient(url: server.url).send(HTTPRequest(method, "/notes/42?x=%20"))
        #expect(answer.status == 200)
        let request = try #require(server.requests.first)
        #expect(request.line == "\(method) /v1/notes/42?x=%20")
        #expect(request.header("Content-Length") == nil)
        #expect(request.body.isEmpty)
    }

    @Test func `a client of a URL is one of its text`() throws {
        let text = "http://127.0.0.1:4711/v1"
        #expect(try HTTPClient(try #require(URL(string: text))).url == text)
        #expect(throws: HTTPFailure.self) { try HTTPClient(try #require(URL(string: "ftp://127.0.0.1/v1"))) }
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "REPORT"])
    func `a request of any method is sent with its body and its fields`(method: String) async throws {
        let server = try CannedServer(.http("201 Created"))
        let body = Array(#"[{"op":"test"}]"#.utf8)
        let answer = try await HTTPClient(url: server.url).send(
            HTTPRequest(
                method, "/notes", fields: [("If-Match", "\"7\""), ("Content-Type", "application/json-patch+json")],
                body: body))
        #expect(answer.status == 201)
        let request = try #require(server.requests.first)
        #expect(request.line == "\(method) /v1/notes")
        #expect(request.header("If-Match") == "\"7\"")
        #expect(request.header("Content-Type") == "application/json-patch+json")
        #expect(request.body == body)
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `a POST, PUT or PATCH without a body has Content-Length 0`(method: String) async throws {
        let server = try CannedServer(.http("200 OK"))
        _ = try await HTTPClient(url: server.url).send(HTTPRequest(method, "/notes"))
        let request = try #require(server.requests.first)
        #expect(request.line == "\(method) /v1/notes")
        #expect(request.header("Content-Length") == "0")
    }

    @Test func `a request gets no default Content-Type and may have an empty field`() async throws {
        let server = try CannedServer(.http("200 OK"))
        _ = try await HTTPClient(url: server.url).send(
            HTTPRequest("PUT", "/notes", fields: [("X-Empty", "")], body: [0x7B, 0x7D]))
        let request = try #require(server.requests.first)
        #expect(request.header("Content-Type") == nil)
        #expect(request.header("X-Empty") == "")
        #expect(request.header("Expect") == nil)
    }

    @Test(arguments: [
        HTTPRequest("GET", "/notes", fields: [("A", "b\r\nX-Evil: 1")]),
        HTTPRequest("GET", "/notes", fields: [("A: b\r\nX-Evil", "1")]),
        HTTPRequest("GET", "/notes", fields: [("", "1")]), HTTPRequest("GET", "/notes\r\nX-Evil: 1"),
        HTTPRequest("GET /evil", "/notes"), HTTPRequest("", "/notes"),
        HTTPRequest("HEAD", "/notes", body: [1]), HTTPRequest("GET", "/notes", body: [1]),
        HTTPRequest("GET", "/notes", body: []), HTTPRequest("GET", ".evil.example/"),
        HTTPRequest("GET", "@evil.example/"), HTTPRequest("GET", ":81/"),
    ])
    func `an injected line, field or host, or a GET with a body is not sent`(request: HTTPRequest) async throws {
        let server = try CannedServer(.http("200 OK"))
        let failure = try await failure(of: try HTTPClient(url: server.url, auth: .bearer("secret")), request)
        #expect(failure.kind == .unsendable)
        #expect(failure.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "it goes to a terminal")
        #expect(server.requests.isEmpty)
    }

    @Test func `a request is compressed only if the caller asks, and sent uncompressed after a 415`() async throws {
        let body = Array(String(repeating: "x", count: 5000).utf8)
        let server = try CannedServer(.http("200 OK"), .http("415 Unsupported Media Type"), .http("200 OK"))
        let put = HTTPRequest("PUT", "/notes", body: body)
        _ = try await HTTPClient(url: server.url).send(put)
        let packing = try HTTPClient(url: server.url, limits: HTTPClient.Limits(packedFrom: 1024))
        for _ in 1...2 {
            #expect(try await packing.send(put).status == 200)
        }
        #expect(server.requests.map { $0.header("Content-Encoding") } == [nil, "gzip", nil, nil])
        #expect(server.requests.last?.body == body)
    }

    /// The answer to a second request would count as that to the first, which the server may have carried out (I11).
    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func `a changing request is not re-sent if a kept connection is closed`(
        method: String
    ) async throws {
        let server = try Self.serverThatClosesAKeptConnection()
        let client = try HTTPClient(url: server.url)
        #expect(try await client.send(.get).status == 200)
        let body: [UInt8]? = method == "DELETE" ? nil : Array("{}".utf8)
        #expect(
            try await failure(of: client, HTTPRequest(method, "/notes", body: body)).kind == .brokenOff)
        #expect(server.requests.map(\.line) == ["GET /v1/notes", "\(method) /v1/notes"])
        #expect(try await client.send(HTTPRequest(method, "/notes", body: body)).status == 403)
    }

    @Test func `a GET is re-sent if a kept connection is closed`() async throws {
        let server = try Self.serverThatClosesAKeptConnection()
        let client = try HTTPClient(url: server.url)
        #expect(try await client.send(.get).status == 200)
        #expect(try await client.send(.get).status == 403)
        #expect(server.requests.count == 3)
    }

    private static func serverThatClosesAKeptConnection() throws -> CannedServer {
        try CannedServer(
            .kept(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)), .bytes([]), .http("403 Forbidden"))
    }
}
