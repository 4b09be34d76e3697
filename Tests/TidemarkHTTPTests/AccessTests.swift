import CannedHTTP
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkMachine

@Suite(.timeLimit(.minutes(2))) struct `Access to a server` {
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
