import CannedHTTP
import Testing
import TidemarkCarrier

@Suite(.timeLimit(.minutes(2))) struct `A request` {
    @Test(arguments: ["GET", "HEAD", "DELETE", "OPTIONS", "PROPFIND"])
    func `of any method without a body goes as it is`(method: String) async throws {
        let server = try CannedServer(.http("200 OK"))
        let answer = try await HTTPCarrier(url: server.url).send(CarrierRequest(method, "/notes/42?x=%20"))
        #expect(answer.status == 200)
        let request = try #require(server.requests.first)
        #expect(request.line == "\(method) /v1/notes/42?x=%20")
        #expect(request.header("Content-Length") == nil)
        #expect(request.body.isEmpty)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "REPORT", "GET"])
    func `of any method takes its body and its fields along`(method: String) async throws {
        let server = try CannedServer(.http("201 Created"))
        let body = Array(#"[{"op":"test"}]"#.utf8)
        let answer = try await HTTPCarrier(url: server.url).send(
            CarrierRequest(
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
    func `that should have a body says that it is empty`(method: String) async throws {
        let server = try CannedServer(.http("200 OK"))
        _ = try await HTTPCarrier(url: server.url).send(CarrierRequest(method, "/notes"))
        let request = try #require(server.requests.first)
        #expect(request.line == "\(method) /v1/notes")
        #expect(request.header("Content-Length") == "0")
    }

    @Test func `has no type but its own, and may have a field without a value`() async throws {
        let server = try CannedServer(.http("200 OK"))
        _ = try await HTTPCarrier(url: server.url).send(
            CarrierRequest("PUT", "/notes", fields: [("X-Empty", "")], body: [0x7B, 0x7D]))
        let request = try #require(server.requests.first)
        #expect(request.header("Content-Type") == nil)
        #expect(request.header("X-Empty") == "")
        #expect(request.header("Expect") == nil)
    }

    @Test(arguments: [
        CarrierRequest("GET", "/notes", fields: [("A", "b\r\nX-Evil: 1")]),
        CarrierRequest("GET", "/notes", fields: [("A: b\r\nX-Evil", "1")]),
        CarrierRequest("GET", "/notes", fields: [("", "1")]), CarrierRequest("GET", "/notes\r\nX-Evil: 1"),
        CarrierRequest("GET /evil", "/notes"), CarrierRequest("", "/notes"),
        CarrierRequest("HEAD", "/notes", body: [1]), CarrierRequest("GET", ".evil.example/"),
        CarrierRequest("GET", "@evil.example/"), CarrierRequest("GET", ":81/"),
    ])
    func `that would become another one is not sent`(request: CarrierRequest) async throws {
        let server = try CannedServer(.http("200 OK"))
        let failure = try await failure(of: try HTTPCarrier(url: server.url, auth: .bearer("secret")), request)
        #expect(failure.kind == .unsendable)
        #expect(failure.message.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "it goes to a terminal")
        #expect(server.requests.isEmpty)
    }

    @Test func `is packed only where that is wished, and said plainly to who does not understand it`() async throws {
        let body = Array(String(repeating: "x", count: 5000).utf8)
        let server = try CannedServer(.http("200 OK"), .http("415 Unsupported Media Type"), .http("200 OK"))
        let put = CarrierRequest("PUT", "/notes", body: body)
        _ = try await HTTPCarrier(url: server.url).send(put)
        let packing = try HTTPCarrier(url: server.url, limits: HTTPCarrier.Limits(packedFrom: 1024))
        for _ in 1...2 {
            #expect(try await packing.send(put).status == 200)
        }
        #expect(server.requests.map { $0.header("Content-Encoding") } == [nil, "gzip", nil, nil])
        #expect(server.requests.last?.body == body)
    }

    /// What is said of a second one would pass for the answer to the first, which may have been carried out (SPEC I11).
    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE"])
    func `that changes something is not sent again where a kept connection is closed without an answer`(
        method: String
    ) async throws {
        let server = try Self.serverThatClosesAKeptConnection()
        let carrier = try HTTPCarrier(url: server.url)
        #expect(try await carrier.send(.get).status == 200)
        let body: [UInt8]? = method == "DELETE" ? nil : Array("{}".utf8)
        #expect(
            try await failure(of: carrier, CarrierRequest(method, "/notes", body: body)).kind == .brokenOff)
        #expect(server.requests.map(\.line) == ["GET /v1/notes", "\(method) /v1/notes"])
        #expect(try await carrier.send(CarrierRequest(method, "/notes", body: body)).status == 403)
    }

    @Test func `that only asks is sent again where a kept connection is closed without an answer`() async throws {
        let server = try Self.serverThatClosesAKeptConnection()
        let carrier = try HTTPCarrier(url: server.url)
        #expect(try await carrier.send(.get).status == 200)
        #expect(try await carrier.send(.get).status == 403)
        #expect(server.requests.count == 3)
    }

    private static func serverThatClosesAKeptConnection() throws -> CannedServer {
        try CannedServer(
            .kept(Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)), .bytes([]), .http("403 Forbidden"))
    }
}
