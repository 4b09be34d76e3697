import CannedHTTP
import Testing
import TidemarkHTTPClient

@Suite(.timeLimit(.minutes(10))) struct `Credentials` {
    @Test(
        arguments: [
            (HTTPAuth.none, nil), (.basic("Aladdin", "open sesame"), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            // RFC 7617 §2.1.
            (.basic("test", "123£"), "Basic dGVzdDoxMjPCow=="), (.basic("me", "a:b"), "Basic bWU6YTpi"),
            (.bearer("abc-._~+/12=="), "Bearer abc-._~+/12=="),
            (.renewing("t") { _ in "never" }, "Bearer t"), (.renewing(nil) { _ in "first" }, "Bearer first"),
        ] as [(HTTPAuth, String?)])
    func `credentials of each kind are sent as their RFC says`(auth: HTTPAuth, field: String?) async throws {
        let server = try CannedServer(.http("200 OK"))
        _ = try await HTTPClient(url: server.url, auth: auth).send(.get)
        #expect(server.requests.map { $0.header("Authorization") } == [field])
    }

    @Test(arguments: [
        HTTPAuth.basic("a:b", "c"), .basic("a\n", "c"), .basic("a", "c\u{7F}"), .bearer(""), .bearer("a b"),
        .bearer("a\r\nX-Evil: 1"), .bearer("="),
    ])
    func `credentials that can't be sent are refused when the client is made`(auth: HTTPAuth) throws {
        let error = try #require(throws: HTTPFailure.self) {
            try HTTPClient(url: "https://notes.example/v1", auth: auth)
        }
        #expect(error.kind == .noCredentials)
        let open = try HTTPClient(url: "https://notes.example/v1")
        #expect(throws: HTTPFailure.self) { try open.with(auth: auth) }
    }

    @Test(arguments: ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
    func `credentials do not follow a redirect, which is the answer`(status: String) async throws {
        let other = try CannedServer(.http("200 OK"))
        let server = try CannedServer(.http(status, ["Location: \(other.url)/notes"]))
        for auth in [HTTPAuth.basic("me", "secret"), .bearer("secret"), .renewing("secret") { _ in "secret" }] {
            for method in ["GET", "PUT", "DELETE"] {
                let answer = try await HTTPClient(url: server.url, auth: auth).send(HTTPRequest(method, "/notes"))
                #expect(answer.leavesOrigin)
                #expect(answer.meaning == .portal)
                #expect(answer.field("location") == "\(other.url)/notes")
            }
        }
        #expect(server.requests.count == 9)
        #expect(other.requests.isEmpty)
    }

    @Test func `credentials do not follow a link to another origin`() async throws {
        let other = try CannedServer(.http("200 OK"))
        let server = try CannedServer(.http("200 OK"))
        let client = try HTTPClient(url: server.url, auth: .bearer("secret"))
        let links = [
            "\(other.url)/notes", "//127.0.0.1:\(other.port)/v1/notes", "https://127.0.0.1:\(server.port)/v1/notes",
            "http://127.0.0.1:\(server.port)@127.0.0.1:\(other.port)/",
            "http://me:it@127.0.0.1:\(server.port)/v1/notes",
            "ftp://127.0.0.1:\(server.port)/v1/notes", "javascript:alert(1)", "http:\\\\127.0.0.1:\(other.port)\\",
            "\(server.url)/notes\r\nX-Evil: 1",
        ]
        for link in links {
            #expect(try await failure(of: client, HTTPRequest(link: link)).kind == .unsendable, "\(link)")
        }
        #expect(other.requests.isEmpty)
        #expect(server.requests.isEmpty)
    }

    @Test func `credentials are sent to a link within the origin`() async throws {
        let server = try CannedServer(.http("200 OK"))
        let client = try HTTPClient(url: server.url, auth: .bearer("secret"))
        for link in ["\(server.url)/notes?token=a%20b", "/v1/notes?page=2", "notes?page=3", "?page=4"] {
            _ = try await client.send(HTTPRequest(link: link))
        }
        #expect(
            server.requests.map(\.line) == [
                "GET /v1/notes?token=a%20b", "GET /v1/notes?page=2", "GET /v1/notes?page=3", "GET /v1/?page=4",
            ])
        #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer secret" })
    }

    @Test func `a copy of a client with other credentials has the same URL`() async throws {
        let server = try CannedServer(.http("200 OK"))
        let first = try HTTPClient(url: server.url + "/", auth: .bearer("one"))
        let second = try first.with(auth: .basic("me", "two"))
        #expect(second.url == server.url)
        for client in [first, second, first] {
            _ = try await client.send(.get)
        }
        #expect(
            server.requests.compactMap { $0.header("Authorization") } == ["Bearer one", "Basic bWU6dHdv", "Bearer one"])
    }
}
