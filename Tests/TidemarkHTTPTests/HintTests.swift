import CannedHTTP
import Synchronization
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkListener
import TidemarkMachine
import TidemarkTesting

/// Contract §10: hints over a connection.
@Suite(.timeLimit(.minutes(10))) struct HintTests {
    @Test func `a stream has a hint of the present cursors, then of each commit`() async throws {
        let server = try LiveServer(tokens: ["t1"])
        let remote = try HTTPRemote(url: server.url, token: "t1")
        let (hints, heard) = AsyncStream.makeStream(of: RemoteHint.self)
        let listening = Task {
            try await remote.hints(for: ["notes", "a,b%"]) { if $0.isOfServer { heard.yield($0) } }
        }
        var iterator = hints.makeAsyncIterator()
        let first = await [iterator.next(), iterator.next()]
        let names = first.map { if case .moved(let name, _) = $0 { name } else { "" } }
        #expect(Set(names) == ["notes", "a,b%"])
        let answer = try await remote.exchange(.post())
        #expect(await iterator.next() == .moved(collection: "notes", cursor: answer.cursor))
        listening.cancel()
        await #expect(throws: RemoteFailure.self) { try await listening.value }
    }

    @Test func `a server that stops ends the stream`() async throws {
        let server = try LiveServer()
        let remote = try HTTPRemote(url: server.url)
        let (hints, heard) = AsyncStream.makeStream(of: RemoteHint.self)
        let listening = Task { try await remote.hints(for: ["notes"]) { heard.yield($0) } }
        var iterator = hints.makeAsyncIterator()
        _ = await iterator.next()
        server.listener.stop()
        #expect(try await listening.value == .ended)
    }

    @Test func `an unknown token is the class auth for hints`() async throws {
        let server = try LiveServer(tokens: ["t1"])
        let failure = await self.failure(of: try HTTPRemote(url: server.url, token: "t2"))
        #expect(failure?.failureClass == .auth)
    }

    private static let events = ["Content-Type: text/event-stream; charset=utf-8"]

    @Test(arguments: [
        CannedServer.Reply.http("404 Not Found"), .http("406 Not Acceptable"), .http("405 Method Not Allowed"),
        .http("200 OK", ["Content-Type: text/html"], body: "<html>sign in</html>"),
        .http("200 OK", ["Content-Type: application/json"], body: #"{"collections":[]}"#), .http("200 OK"),
        .http("302 Found", ["Location: http://portal.example/"]), .http("501 Not Implemented"),
        .http("200 OK", Self.events + ["Content-Encoding: gzip"], body: "x"),
        .http("200 OK", Self.events, body: String(repeating: "x", count: 100_000)),
    ])
    func `an answer that is not a stream of events means no notifications`(reply: CannedServer.Reply) async throws {
        let server = try CannedServer(reply)
        let remote = try HTTPRemote(url: server.url)
        let heard = Mutex<[RemoteHint]>([])
        let end = try? await remote.hints(for: ["notes"]) { hint in heard.withLock { $0.append(hint) } }
        let hints = heard.withLock { $0.filter(\.isOfServer) }
        #expect(hints == [])
        guard case .unavailable(let why)? = end else {
            // The answer is compressed, although the client did not request that, and can't be decompressed.
            #expect(end == nil)
            return
        }
        #expect(why.hasSuffix("."))
    }

    @Test func `a busy server's Retry-After is reported for hints`() async throws {
        let server = try CannedServer(.http("503 Service Unavailable", ["Retry-After: 60"]))
        let failure = await self.failure(of: try HTTPRemote(url: server.url))
        #expect(failure?.failureClass == .busy)
        #expect(failure?.retryAfter == .delay(.seconds(60)))
    }

    @Test func `unknown events keep a stream alive, and a broken stream is offline`() async throws {
        let body =
            ": x\n\nevent: other\ndata: 1\n\nevent: changed\ndata: {\n\nevent: changed\ndata: {\"collection\":\"n\"}\n\n"
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 100000\r\n\r\n"
        let server = try CannedServer(.text(head + body))
        let remote = try HTTPRemote(url: server.url)
        let heard = Mutex<[RemoteHint]>([])
        await #expect(throws: RemoteFailure.self) {
            try await remote.hints(for: ["notes"]) { hint in heard.withLock { $0.append(hint) } }
        }
        let hints = heard.withLock(\.self)
        let bytes = hints.reduce(0) { if case .received(let bytes) = $1 { $0 + bytes } else { $0 } }
        #expect(bytes == body.utf8.count)
        // Several signs of life in one piece may be reported as one.
        #expect((1...3).contains(hints.filter { $0 == .alive }.count))
        #expect(hints.last == .moved(collection: "n", cursor: nil))
        #expect(server.requests.first?.line == "GET /v1/?watch=notes")
        let fields = server.requests.first?.headers ?? []
        #expect(fields.contains { $0.name == "accept" && $0.value == "text/event-stream" })
        #expect(fields.contains { $0.name == "accept-encoding" && $0.value == "identity" })
    }

    private func failure(of remote: HTTPRemote) async -> RemoteFailure? {
        do throws(RemoteFailure) {
            _ = try await remote.hints(for: ["notes"]) { _ in }
            return nil
        } catch {
            return error
        }
    }
}

extension RemoteHint {
    /// Whether the hint is from the server, and not a count of received bytes.
    fileprivate var isOfServer: Bool {
        if case .received = self { false } else { true }
    }
}
