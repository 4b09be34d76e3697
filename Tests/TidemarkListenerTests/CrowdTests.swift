import Foundation
import Testing
import TidemarkListener
import TidemarkServer

@Suite("More clients than the limits allow (W10)", .serialized, .timeLimit(.minutes(10)))
struct CrowdTests {
    @Test func `a connection above the limit gets 503 with Retry-After at once`() throws {
        let server = try RunningServer(connections: 2)
        // Busy connections: half of a request has arrived, so they are not idle.
        let busy = try (0..<2).map { _ in try server.connect() }
        for client in busy {
            client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 100\nExpect: 100-continue\n\n")
            #expect(try client.answer().status == 100)
        }
        for _ in 0..<20 {
            let late = try server.answer("GET", "/v1/notes")
            #expect(late.status == 503)
            #expect(late["retry-after"].flatMap { Int($0) } ?? 0 > 0)
            #expect(late["content-type"] == "application/problem+json")
            #expect(late["connection"] == "close")
        }
    }

    @Test func `a new connection replaces the longest idle one`() throws {
        let server = try RunningServer(connections: 3)
        let idle = try (0..<3).map { _ in try server.connect() }
        for client in idle {
            client.send("GET /v1/notes HTTP/1.1\nHost: x\n\n")
            #expect(try client.answer().status == 200)
        }
        // The first sends another request, so the second is the longest idle one.
        idle[0].send("GET /v1/notes HTTP/1.1\nHost: x\n\n")
        #expect(try idle[0].answer().status == 200)
        #expect(try server.answer("GET", "/v1/notes").status == 200)
        #expect(idle[1].isHungUp())
        for client in [idle[0], idle[2]] {
            client.send("GET /v1/notes HTTP/1.1\nHost: x\n\n")
            #expect(try client.answer().status == 200)
        }
    }

    @Test func `half-open heads of one address do not block another client of that address`() throws {
        let server = try RunningServer(connections: 100, perAddress: 20)
        let half = try (0..<60).map { _ in
            let client = try server.connect()
            client.send("GET /v1/notes HTTP/1.1\nHost: x\nX: ")
            return client
        }
        #expect(try server.answer("GET", "/v1/notes").status == 200)
        let kept = try server.connect()
        kept.send("GET /v1/notes HTTP/1.1\nHost: x\n\n")
        #expect(try kept.answer().status == 200)
        #expect(half[0].isHungUp(), "the one that waited longest")
    }

    @Test func `any number of silent connections does not block another client`() throws {
        let server = try RunningServer(connections: 20)
        let silent = try (0..<80).map { _ in try server.connect() }
        #expect(try server.answer("GET", "/v1/notes").status == 200)
        #expect(silent.count == 80)
    }

    @Test func `unread answers are held up to a limit, and then the next request gets 503`() throws {
        var limits = ServerLimits()
        (limits.record, limits.body) = (24 << 20, 32 << 20)
        // A connection that ends by itself would free the memory of its answer, too.
        let server = try RunningServer(limits: limits, clientTimeout: .seconds(600), heldBytes: 30 << 20)
        try server.fill("a", bytes: 20 << 20)
        let asking = "GET /v1/notes/a HTTP/1.1\nHost: x\n\n"
        let lazy = try (0..<2).map { _ in
            let client = try server.connect(receiveBuffer: 4_096)
            client.send(asking)
            // The answer has begun, so all of it is in memory.
            #expect(client.waitsForBytes(milliseconds: 20_000))
            return client
        }
        let late = try server.answer("GET", "/v1/notes")
        #expect(late.status == 503)
        #expect(late.text.contains("too-busy"))
        #expect(late["retry-after"] == "5")
        let post = try server.answer("POST", "/v1/notes", body: RunningServer.create("b"))
        #expect(post.status == 503)

        // Both are connected, and there is room again.
        #expect(try lazy[0].answer().status == 200)
        try server.waits(until: { try server.answer("GET", "/v1/notes/b").status == 404 })
        #expect(try server.answer("POST", "/v1/notes", body: RunningServer.create("b")).status == 200)
    }

    @Test func `unread answers of one account do not block the answers of another (W10)`() throws {
        var limits = ServerLimits()
        (limits.record, limits.body) = (24 << 20, 32 << 20)
        let server = try RunningServer(
            tokens: ["mallory", "ada"], limits: limits, clientTimeout: .seconds(600), heldPerAccount: 30 << 20)
        try server.fill("a", bytes: 20 << 20, token: "mallory")
        let asking = "GET /v1/notes/a HTTP/1.1\nHost: x\nAuthorization: Bearer mallory\n\n"
        let lazy = try server.connect(receiveBuffer: 4_096)
        lazy.send(asking)
        #expect(lazy.waitsForBytes(milliseconds: 20_000))
        let next = try server.connect()
        next.send(asking)
        let refusal = try next.answer()
        #expect(refusal.status == 503)
        #expect(refusal.text.contains("too-busy"))
        #expect(try server.answer("GET", "/v1/notes", headers: "Authorization: Bearer ada\n").status == 200)
        // A POST is answered even if the answers are not read.
        let post = try server.answer(
            "POST", "/v1/notes", headers: "Authorization: Bearer mallory\n", body: RunningServer.create("b"))
        #expect(post.status == 200)

        #expect(try lazy.answer().status == 200)
        try server.waits(until: {
            next.send(asking)
            return try next.answer().status == 200
        })
    }

    @Test func `unfinished bodies are held up to a limit`() throws {
        let server = try RunningServer(heldBytes: 1 << 20)
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 2000000\n\n")
        client.send([UInt8](repeating: 0x20, count: (1 << 20) + 1))
        let answer = try client.answer()
        #expect(answer.status == 503)
        #expect(answer["connection"] == "close")
        try server.waits(until: { try server.answer("GET", "/v1/notes").status == 200 })
    }

    @Test func `one address has a separate limit of connections`() throws {
        let server = try RunningServer(connections: 100, perAddress: 1)
        let busy = try server.connect()
        busy.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 100\nExpect: 100-continue\n\n")
        #expect(try busy.answer().status == 100)
        #expect(try server.answer("GET", "/v1/notes").status == 503)
    }

    @Test(arguments: [(10_000, 1_000, 64), (1_064, 1_000, 64), (1_063, 999, 64), (136, 119, 17), (8, 7, 1), (-3, 1, 1)])
    func `the limits of connections fit the system's limit of files`(
        room: Int, connections: Int, refusedConnections: Int
    ) {
        let settings = ListenerSettings().fitting(room)
        #expect(settings.connections == connections)
        #expect(settings.refusedConnections == refusedConnections)
    }

    @Test func `silent refused clients do not prevent the refusal of others`() throws {
        let server = try RunningServer(connections: 1)
        let busy = try server.connect()
        busy.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 100\nExpect: 100-continue\n\n")
        #expect(try busy.answer().status == 100)
        let silent = try (0..<80).map { _ in try server.connect() }
        #expect(try server.answer("GET", "/v1/notes").status == 503)
        #expect(silent.count == 80)
    }

    @Test func `a stop abandons work that outlasts the grace period, and reports that`() throws {
        let gate = Gate()
        var settings = ListenerSettings()
        settings.grace = .milliseconds(50)
        let core = ServerCore(
            storage: try SQLiteServerStorage(.memory),
            now: {
                gate.pass()
                return 1
            })
        let listener = try HTTPListener(core, settings: settings)
        let client = try SocketClient(port: listener.port)
        let body = RunningServer.create("1")
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: \(body.count)\n\n")
        client.send(body)
        gate.awaitArrival()
        #expect(!listener.stop())
        #expect(listener.stop(), "a second call has nothing to do")
        gate.open()
        #expect(try client.answer().status == 200)
    }

    @Test func `a storage slower than the client timeout drops no waiting client (L05)`() throws {
        let gate = Gate()
        let server = try RunningServer(
            clientTimeout: .seconds(1),
            now: {
                gate.pass()
                return 1_000
            })
        let first = try server.connect()
        let body = RunningServer.create("1")
        first.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: \(body.count)\n\n")
        first.send(body)
        gate.awaitArrival()
        let second = try server.connect()
        second.send("GET /v1/notes HTTP/1.1\nHost: x\n\n")
        // Longer than the client timeout, and than the library's own timeout, which counts in seconds.
        #expect(!second.waitsForBytes(milliseconds: 2_500))
        gate.open()
        #expect(try first.answer().status == 200)
        #expect(try second.answer().status == 200)
    }
}
