import CannedHTTP
import Synchronization
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkListener
import TidemarkMachine
import TidemarkTesting

/// SPEC §10: hints over a connection.
@Suite(.timeLimit(.minutes(2))) struct HintTests {
    @Test func `a server's hints are heard, first how it stands and then what is committed`() async throws {
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
        #expect(await iterator.next() == .moved(collection: "notes", watermark: answer.watermark))
        listening.cancel()
        await #expect(throws: RemoteFailure.self) { try await listening.value }
    }

    @Test func `a server that stops ends it`() async throws {
        let server = try LiveServer()
        let remote = try HTTPRemote(url: server.url)
        let (hints, heard) = AsyncStream.makeStream(of: RemoteHint.self)
        let listening = Task { try await remote.hints(for: ["notes"]) { heard.yield($0) } }
        var iterator = hints.makeAsyncIterator()
        _ = await iterator.next()
        server.listener.stop()
        #expect(try await listening.value == .ended)
    }

    @Test func `a token that is not known is told as such`() async throws {
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
    func `an answer that is no stream of events means that nobody hints here`(reply: CannedServer.Reply) async throws {
        let server = try CannedServer(reply)
        let remote = try HTTPRemote(url: server.url)
        let heard = Mutex<[RemoteHint]>([])
        let end = try? await remote.hints(for: ["notes"]) { hint in heard.withLock { $0.append(hint) } }
        let hints = heard.withLock { $0.filter(\.isOfServer) }
        #expect(hints == [])
        guard case .notHere(let why)? = end else {
            // Packed as nobody asked for: it can't be unpacked either.
            #expect(end == nil)
            return
        }
        #expect(why.hasSuffix("."))
    }

    @Test func `a server that is busy says for how long`() async throws {
        let server = try CannedServer(.http("503 Service Unavailable", ["Retry-After: 60"]))
        let failure = await self.failure(of: try HTTPRemote(url: server.url))
        #expect(failure?.failureClass == .busy)
        #expect(failure?.retryAfter == .delay(.seconds(60)))
    }

    @Test func `events that are not known are a sign of life, and a stream that breaks off is a break`() async throws {
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
        // Of signs of life in one piece one is enough.
        #expect((1...3).contains(hints.filter { $0 == .alive }.count))
        #expect(hints.last == .moved(collection: "n", watermark: nil))
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
    /// Whether it is what the server says, and not how much of it came.
    fileprivate var isOfServer: Bool {
        if case .received = self { false } else { true }
    }
}
