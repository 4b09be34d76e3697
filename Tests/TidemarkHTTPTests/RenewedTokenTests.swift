import CannedHTTP
import Synchronization
import Testing
import TidemarkHTTPClient
import TidemarkCore
import TidemarkHTTP
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting

@Suite(.timeLimit(.minutes(10))) struct `A remote whose token is renewed` {
    private struct SignedOut: Error {}

    private static func client(_ remote: HTTPRemote) throws -> SyncClient {
        try SyncClient(
            store: MemoryStore(), remote: remote, configuration: SyncConfiguration(), time: ManualClock(), seed: 1)
    }

    @Test func `401-mid-queue: a sync continues with the new token, and each edit counts once`() async throws {
        let server = try LiveServer(tokens: ["right"])
        let remote = try HTTPRemote(url: server.url, auth: .renewing("spent") { _ in "right" })
        let client = try Self.client(remote)
        try await client["notes"].create(["n": 1], pk: "1")
        let report = try await client.sync()
        #expect(report.outcome == .inSync)
        #expect(report.collections.map(\.pushed) == [["1"]])
    }

    @Test func `401-mid-queue: a sync pauses without a token, and continues after resume`() async throws {
        let server = try LiveServer(tokens: ["right"])
        let isSignedIn = Mutex(false)
        let auth = HTTPAuth.renewing("spent") { _ in
            guard isSignedIn.withLock({ $0 }) else { throw SignedOut() }
            return "right"
        }
        let client = try Self.client(try HTTPRemote(url: server.url, auth: auth))
        try await client["notes"].create(["n": 1], pk: "1")
        #expect(try await client.sync().outcome == .unauthorized)
        isSignedIn.withLock { $0 = true }
        try await client.resume()
        #expect(try await client.sync().outcome == .inSync)
    }

    /// The class of each kind of a client's failure (Contract §3.5).
    @Test(
        arguments: [
            (.unreachable, .offline), (.brokenOff, .offline), (.notUnderstood, .invalidAnswer),
            (.tooLarge, .invalidAnswer),
            (.noCredentials, .auth), (.cancelled, .cancelled), (.unsendable, .invalidAnswer),
        ] as [(HTTPFailure.Kind, FailureClass)])
    func `a remote has a class for each failure of its client`(kind: HTTPFailure.Kind, expected: FailureClass)
        async throws
    {
        let server = try CannedServer(.http("401 Unauthorized"))
        let auth = HTTPAuth.renewing("spent") { _ in throw HTTPFailure(kind, "why, and what to do") }
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url, auth: auth), .post())
        #expect(failure.failureClass == expected)
        #expect(failure.message == "why, and what to do")
        #expect(failure.blame == (kind == .tooLarge ? .answerSize : .unknown))
    }

    @Test func `a remote may authenticate by name and password`() async throws {
        let server = try CannedServer(.http("200 OK", body: emptyAnswer))
        let remote: HTTPRemote = try .http(server.url, auth: .basic("me", "secret"))
        _ = try await remote.exchange(.get)
        #expect(server.requests.first?.header("Authorization") == "Basic bWU6c2VjcmV0")
    }
}
