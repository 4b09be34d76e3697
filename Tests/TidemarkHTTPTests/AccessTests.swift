import CannedHTTP
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkMachine
import TidemarkRules

@Suite(.timeLimit(.minutes(10))) struct `Access to a server` {
    @Test func `401-mid-queue: a wrong token is the class auth, and a new token works`() async throws {
        let server = try LiveServer(tokens: ["right"])
        let wrong = try HTTPRemote(url: server.url, token: "wrong")
        let failure = try await exchangeFailure(of: wrong, .post())
        #expect(failure.failureClass == .auth)
        #expect(failure.problem?.status == 401)
        #expect(failure.message.contains("Check the token"))
        let right = try wrong.with(token: "right")
        #expect(try await right.exchange(.post()).results.count == 1)
    }

    @Test func `each request has the additional header fields, also with another token`() async throws {
        let server = try CannedServer(.http("200 OK", body: emptyAnswer))
        let options = HTTPRemote.Options(headers: ["X-Api-Key": "k", "X-Tenant": "käse", "X-Empty": ""])
        let remote: HTTPRemote = try .http(server.url, token: "t", options: options)
        _ = try await remote.exchange(.get)
        _ = try? await remote.exchange(.post(5_000))
        _ = try await remote.hints(for: ["notes"]) { _ in }
        _ = try await remote.with(token: "u").exchange(.get)
        let requests = server.requests
        #expect(requests.count == 4)
        for request in requests {
            #expect(request.header("X-Api-Key") == "k")
            #expect(request.header("X-Tenant") == "käse")
            #expect(request.header("X-Empty") == "")
        }
        #expect(requests.last?.header("Authorization") == "Bearer u")
    }

    @Test func `each header field that a request has by itself is refused as an additional one`() async throws {
        let server = try CannedServer(.http("200 OK", body: emptyAnswer))
        let remote = try HTTPRemote(url: server.url, token: "t")
        _ = try await remote.exchange(.get)
        _ = try? await remote.exchange(.post(5_000))
        _ = try await remote.hints(for: ["notes"]) { _ in }
        let names = Set(server.requests.flatMap { $0.headers.map(\.name) })
        #expect(names.contains("content-encoding"))
        // Neither the protocol nor HTTP depends on the name of the program.
        for name in names.subtracting(["user-agent"]) {
            #expect(throws: TidemarkError.self, "\(name)") {
                try HTTPRemote(url: server.url, options: HTTPRemote.Options(headers: [name: "x"]))
            }
        }
    }

    @Test func `two tokens are two accounts`() async throws {
        let server = try LiveServer(tokens: ["one", "two"])
        let one = try await HTTPRemote(url: server.url, token: "one").exchange(.get)
        let two = try await HTTPRemote(url: server.url, token: "two").exchange(.get)
        #expect(one.account != two.account)
        #expect(one.epoch == two.epoch)
    }

    @Test(arguments: ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
    func `the token is not sent to the target of a redirect`(status: String) async throws {
        let other = try CannedServer(.http("200 OK", body: emptyAnswer))
        let server = try CannedServer(.http(status, ["Location: \(other.url)/notes"]))
        let remote = try HTTPRemote(url: server.url, token: "secret")
        for request in [ExchangeRequest.get, .post(), .post(5000)] {
            let failure = try await exchangeFailure(of: remote, request)
            #expect(failure.failureClass == .portal)
            #expect(failure.message.contains(other.url))
        }
        #expect(other.requests.isEmpty)
        #expect(server.requests.count == 3)
    }

    @Test func `a redirect to the same server is a wrong URL, and not a portal`() async throws {
        let server = try CannedServer(.http("308 Permanent Redirect", ["Location: /v1/notes/"]))
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url))
        #expect(failure.failureClass == .invalidAnswer)
        #expect(failure.message.contains("/v1/notes/"))
    }

    @Test func `cookies and caches are not used`() async throws {
        let server = try CannedServer(
            .http(
                "200 OK", ["Set-Cookie: a=b; Path=/", "Cache-Control: max-age=3600", "ETag: \"x\""], body: emptyAnswer))
        let remote = try HTTPRemote(url: server.url, token: "secret")
        for _ in 1...2 {
            _ = try await remote.exchange(.get)
        }
        try #require(server.requests.count == 2)
        let second = server.requests[1]
        #expect(second.line == "GET /v1/notes?limit=10")
        #expect(second.header("Cookie") == nil)
        #expect(second.header("If-None-Match") == nil)
        #expect(second.header("Cache-Control") == "no-cache")
        #expect(second.header("Authorization") == "Bearer secret")
    }
}
