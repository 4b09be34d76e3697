import CannedHTTP
import Synchronization
import TestSupport
import Testing
@testable import TidemarkHTTPClient

@Suite(.timeLimit(.minutes(10))) struct `A token that is renewed` {
    /// The arguments that the closure got.
    private final class Asked: Sendable {
        private let all = Mutex<[String?]>([])

        var spent: [String?] { self.all.withLock { $0 } }

        func add(_ spent: String?) {
            self.all.withLock { $0.append(spent) }
        }
    }

    private struct SignedOut: Error {}

    /// A server that knows one token.
    private static func server(knowing token: String) throws -> CannedServer {
        try CannedServer { request, _ in
            request.header("Authorization") == "Bearer \(token)" ? .http("200 OK") : .http("401 Unauthorized")
        }
    }

    private let asked = Asked()

    @Test func `a 401 renews the token once, and the same request is sent again`() async throws {
        let server = try Self.server(knowing: "new")
        let auth = HTTPAuth.renewing("old") { [asked] spent in
            asked.add(spent)
            return "new"
        }
        let client = try HTTPClient(url: server.url, auth: auth)
        let put = HTTPRequest("PUT", "/notes/1", fields: [("If-Match", "7")], body: [1, 2, 3])
        #expect(try await client.send(put).status == 200)
        #expect(try await client.send(put).status == 200)
        #expect(self.asked.spent == ["old"])
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer old", "Bearer new", "Bearer new"])
        #expect(server.requests.allSatisfy { $0.line == "PUT /v1/notes/1" && $0.body == [1, 2, 3] })
        #expect(server.requests.allSatisfy { $0.header("If-Match") == "7" })
    }

    @Test func `several requests with an expired token renew it once`() async throws {
        let server = try Self.server(knowing: "new")
        let auth = HTTPAuth.renewing("old") { [asked] spent in
            asked.add(spent)
            // All requests were sent with the old token, and wait for this one.
            await server.requestCame(8)
            return "new"
        }
        let client = try HTTPClient(url: server.url, auth: auth)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...8 {
                group.addTask { try await client.send(.get).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 8))
        #expect(self.asked.spent == ["old"])
        #expect(server.requests.count == 16)
    }

    /// Without a server, whose answers could reach a request after the renewal.
    @Test func `a rejection during a renewal waits for it`() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        // The source reads its clock for each rejection.
        let rejections = Mutex(0)
        let clock: @Sendable () -> ContinuousClock.Instant = {
            rejections.withLock { $0 += 1 }
            return .now
        }
        let source = TokenSource("old", now: clock) { [asked] spent in
            asked.add(spent)
            for await _ in gate {}
            return "new"
        }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 1...8 {
                group.addTask { try await source.token(insteadOf: "old") }
            }
            await eventually("all requests have reported the rejection") { rejections.withLock { $0 } == 8 }
            open.finish()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(tokens == Array(repeating: "new", count: 8))
        #expect(self.asked.spent == ["old"])
    }

    @Test func `a second 401 of the same request is the answer`() async throws {
        let server = try Self.server(knowing: "neither")
        let auth = HTTPAuth.renewing("old") { [asked] spent in
            asked.add(spent)
            return "new"
        }
        let answer = try await HTTPClient(url: server.url, auth: auth).send(.get)
        #expect(answer.status == 401)
        #expect(answer.meaning == .unauthorized)
        #expect(self.asked.spent == ["old"])
        #expect(server.requests.count == 2)
    }

    @Test func `a new token that the server rejects is not renewed for each request`() async throws {
        let server = try Self.server(knowing: "neither")
        let auth = HTTPAuth.renewing("old") { [asked] spent in
            asked.add(spent)
            return "new"
        }
        let client = try HTTPClient(url: server.url, auth: auth)
        for _ in 1...3 { #expect(try await client.send(.get).status == 401) }
        #expect(self.asked.spent == ["old"])
        #expect(
            server.requests.map { $0.header("Authorization") } == ["old", "new", "new", "new"].map { "Bearer \($0)" })
    }

    @Test func `a renewed token that equals the rejected one is not sent again`() async throws {
        let server = try Self.server(knowing: "neither")
        let client = try HTTPClient(url: server.url, auth: .renewing("old") { $0 ?? "" })
        #expect(try await client.send(.get).status == 401)
        #expect(server.requests.count == 1)
    }

    @Test func `a stored first token that has expired is renewed at once`() async throws {
        let server = try Self.server(knowing: "new")
        let auth = HTTPAuth.renewing(nil) { [asked] spent in
            asked.add(spent)
            return spent == nil ? "stored" : "new"
        }
        #expect(try await HTTPClient(url: server.url, auth: auth).send(.get).status == 200)
        #expect(self.asked.spent == [nil, "stored"])
    }

    @Test func `a rejected new token is renewed again after a pause, or once it was accepted`() async throws {
        let start = ContinuousClock.now
        let later = Mutex(Duration.zero)
        let number = Mutex(0)
        let source = TokenSource("t0", now: { start + later.withLock { $0 } }) { _ in
            number.withLock { number in
                number += 1
                return "t\(number)"
            }
        }
        #expect(try await source.token(insteadOf: "t0") == "t1")
        #expect(try await source.token(insteadOf: "t1") == "t1", "it is new, and rejected")
        later.withLock { $0 = TokenSource.renewalPause }
        #expect(try await source.token(insteadOf: "t1") == "t2")
        source.accept("t2")
        #expect(try await source.token(insteadOf: "t2") == "t3", "it was accepted, and has expired")
        source.accept("t2")
        #expect(try await source.token(insteadOf: "t3") == "t3", "an earlier token was accepted late")
    }

    @Test(arguments: ["403 Forbidden", "407 Proxy Authentication Required", "500 Oops"])
    func `another status than 401 does not renew the token`(status: String) async throws {
        let server = try CannedServer(.http(status))
        let auth = HTTPAuth.renewing("old") { [asked] spent in
            asked.add(spent)
            return "new"
        }
        _ = try await HTTPClient(url: server.url, auth: auth).send(.get)
        #expect(self.asked.spent == [])
        #expect(server.requests.count == 1)
    }

    @Test func `a failed renewal is reported, and the next request renews again`() async throws {
        let server = try Self.server(knowing: "new")
        let auth = HTTPAuth.renewing("old") { [asked] spent in
            asked.add(spent)
            guard asked.spent.count > 1 else { throw SignedOut() }
            return "new"
        }
        let client = try HTTPClient(url: server.url, auth: auth)
        let first = try await failure(of: client, .get)
        #expect(first.kind == .noCredentials)
        #expect(first.message.contains("SignedOut"))
        #expect(try await client.send(.get).status == 200)
        #expect(self.asked.spent == ["old", "old"])
    }

    @Test func `an unreachable token server is reported as unreachable`() async throws {
        let server = try Self.server(knowing: "new")
        let auth = HTTPAuth.renewing("old") { _ in throw HTTPFailure(.unreachable, "no way to the tokens") }
        let failure = try await failure(of: try HTTPClient(url: server.url, auth: auth), .get)
        #expect(failure == HTTPFailure(.unreachable, "no way to the tokens"))
    }

    @Test(arguments: ["", "a b", "a\r\nX-Evil: 1"])
    func `a renewed token that can't be sent is refused`(token: String) async throws {
        let server = try Self.server(knowing: "new")
        let client = try HTTPClient(url: server.url, auth: .renewing("old") { _ in token })
        #expect(try await failure(of: client, .get).kind == .noCredentials)
        #expect(server.requests.count == 1)
    }

    @Test func `a cancelled request does not cancel the renewal for other requests`() async throws {
        let server = try Self.server(knowing: "new")
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let auth = HTTPAuth.renewing("old") { [asked] spent in
            asked.add(spent)
            begin.finish()
            for await _ in gate {}
            return "new"
        }
        let client = try HTTPClient(url: server.url, auth: auth)
        let impatient = Task { try await failure(of: client, .get) }
        for await _ in begun {}
        let patient = Task { try await client.send(.get).status }
        await server.requestCame(2)
        impatient.cancel()
        #expect(try await impatient.value.kind == .cancelled)
        open.finish()
        #expect(try await patient.value == 200)
        #expect(self.asked.spent == ["old"])
    }
}
