import CannedHTTP
import Synchronization
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkHTTPClient
import TidemarkMachine

@Suite(.timeLimit(.minutes(10))) struct `Header fields that an app makes for each request` {
    private final class Counter: Sendable {
        private let count = Mutex(0)

        var next: String {
            self.count.withLock { count in
                count += 1
                return "\(count)"
            }
        }
    }

    private static func remote(
        _ server: CannedServer, headers: [String: String] = [:], auth: HTTPAuth = .bearer("t"),
        _ make: @escaping @Sendable () async throws -> [String: String]
    ) throws -> HTTPRemote {
        try .http(server.url, auth: auth, options: HTTPRemote.Options(headers: headers, requestHeaders: make))
    }

    @Test func `they are made anew for each exchange and each connection for notifications`() async throws {
        let server = try CannedServer(.http("200 OK", body: emptyAnswer))
        let count = Counter()
        let remote = try Self.remote(server, headers: ["X-Api-Key": "k", "X-Trace": "fixed"]) {
            ["x-trace": count.next]
        }
        _ = try await remote.exchange(.get)
        _ = try? await remote.exchange(.post(5_000))
        _ = try await remote.hints(for: ["notes"]) { _ in }
        let requests = server.requests
        #expect(requests.map { $0.header("X-Trace") } == ["1", "2", "3"])
        #expect(requests.allSatisfy { $0.headers.count { $0.name == "x-trace" } == 1 }, "a fixed field is replaced")
        #expect(requests.allSatisfy { $0.header("X-Api-Key") == "k" && $0.header("Authorization") == "Bearer t" })
    }

    @Test func `a request that is repeated with a renewed token has the same fields`() async throws {
        let server = try CannedServer(.http("401 Unauthorized"), .http("200 OK", body: emptyAnswer))
        let count = Counter()
        let remote = try Self.remote(server, auth: .renewing("old") { _ in "new" }) {
            ["X-Trace": count.next]
        }
        _ = try await remote.exchange(.get)
        #expect(server.requests.map { $0.header("X-Trace") } == ["1", "1"])
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer old", "Bearer new"])
    }

    @Test(arguments: [
        ["Authorization": "Bearer x"], ["content-TYPE": "text/plain"], ["Host": "other"], ["Tidemark-Wire": "9"],
        ["A b": "x"], ["X": "a\r\nY: b"], ["X": "a\nY: b"], ["X": "\u{0}"], ["X-A": "1", "x-a": "2"],
        ["X": String(repeating: "x", count: HTTPRemote.Options.headerSize)],
        Dictionary(uniqueKeysWithValues: (0...HTTPRemote.Options.headerCount).map { ("X-\($0)", "x") }),
    ])
    func `a field that can't be added fails the exchange, and nothing is sent`(headers: [String: String]) async throws {
        let server = try CannedServer(.http("200 OK", body: emptyAnswer))
        let failure = try await exchangeFailure(of: try Self.remote(server) { headers })
        #expect(failure.failureClass == .invalidAnswer)
        #expect(!failure.message.contains("Bearer x"), "\(failure)")
        #expect(server.requests.isEmpty)
    }

    @Test func `the fixed fields count in the limits, too`() async throws {
        let server = try CannedServer(.http("200 OK", body: emptyAnswer))
        let half = String(repeating: "x", count: HTTPRemote.Options.headerSize / 2)
        let failure = try await exchangeFailure(of: try Self.remote(server, headers: ["X-A": half]) { ["X-B": half] })
        #expect(failure.message.contains("larger than"), "\(failure)")
    }

    private struct Locked: Error {}

    @Test(arguments: [
        (Locked() as any Error, FailureClass.offline), (CancellationError(), .cancelled),
        (RemoteFailure(.busy, "Locked()"), .busy), (HTTPFailure(.noCredentials, "Locked()"), .auth),
    ])
    func `an error of the app fails the exchange, and nothing is sent`(
        error: any Error, failureClass: FailureClass
    ) async throws {
        let server = try CannedServer(.http("200 OK", body: emptyAnswer))
        let remote = try Self.remote(server) { throw error }
        let failure = try await exchangeFailure(of: remote)
        #expect(failure.failureClass == failureClass)
        #expect(failure.message.contains(error is CancellationError ? "Cancel" : "Locked()"), "\(failure)")
        await #expect(throws: RemoteFailure.self) { try await remote.hints(for: ["notes"]) { _ in } }
        #expect(server.requests.isEmpty)
    }
}
