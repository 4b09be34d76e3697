import Foundation
import Testing
import TidemarkListener
import TidemarkServer

@Suite("Hints over a connection (Contract §10)", .serialized, .timeLimit(.minutes(10)))
struct WatchTests {
    @Test func `a commit is announced at once on the connection of a watch`() throws {
        let server = try RunningServer()
        let client = try server.watch()
        for pk in ["1", "2", "3"] {
            #expect(try server.answer("POST", "/v1/notes", body: RunningServer.create(pk)).status == 200)
            let event = try client.text(until: "\n\n")
            #expect(event.contains("event: changed\ndata: {\"collection\":\"notes\",\"max_updated_at\":\"e1."))
        }
    }

    @Test(arguments: ["1.0", "1.1"])
    func `a watch leaves the library after its first events, and gets all later ones`(version: String) throws {
        let server = try RunningServer(heartbeat: .milliseconds(300))
        let client = try server.connect()
        client.send("GET /v1/?watch=notes HTTP/\(version)\nHost: x\nAccept: text/event-stream\n\n")
        _ = try client.text(until: "}\n\n")
        try server.waits(until: { server.listener.connectionsOfLibrary == 0 })
        #expect(server.listener.openConnections == 1)
        #expect(server.core.openWatches == 1)
        #expect(try server.answer("POST", "/v1/notes", body: RunningServer.create("1")).status == 200)
        #expect(try client.text(until: "}\n\n").contains("event: changed"))
        #expect(try client.text(until: "here\n\n").contains(": still here"))
        #expect(server.listener.stop())
        #expect(client.isHungUp())
        #expect(server.core.openWatches == 0)
    }

    @Test func `a watch outlives the client timeout, and gets heartbeats`() throws {
        let server = try RunningServer(clientTimeout: .seconds(1), heartbeat: .milliseconds(300))
        let client = try server.watch()
        // Longer than the library's own timeout, too, which counts in seconds.
        for _ in 0..<10 {
            #expect(try client.text(until: "\n\n").contains(": still here\n\n"))
        }
        #expect(try server.answer("POST", "/v1/notes", body: RunningServer.create("1")).status == 200)
        #expect(try client.text(until: "}\n\n").contains("event: changed"))
    }

    @Test func `watches do not count in the limit of connections with requests, and have a separate limit`() throws {
        var limits = ServerLimits()
        limits.watches = 8
        let server = try RunningServer(limits: limits, connections: 2, perAddress: 2)
        let clients = try (0..<8).map { _ in try server.watch() }
        #expect(try server.answer("POST", "/v1/notes", body: RunningServer.create("1")).status == 200)
        for client in clients { #expect(try client.text(until: "\n\n").contains("changed")) }
        let late = try server.answer("GET", "/v1/", headers: "Accept: text/event-stream\n")
        #expect(late.status == 503)
        #expect(late["retry-after"] == "60")
        #expect(late.text.contains("too-many-watches"))
        #expect(try server.answer("GET", "/v1/notes").status == 200)
    }

    @Test func `one address has a limit of watches, and another is allowed when one ends (W10)`() throws {
        let server = try RunningServer(watchesPerAddress: 2)
        var clients = try (0..<2).map { _ in try server.watch() }
        let late = try server.answer("GET", "/v1/", headers: "Accept: text/event-stream\n")
        #expect(late.status == 503)
        #expect(late["retry-after"] != nil)
        #expect(server.core.openWatches == 2)
        clients.removeLast()
        try server.waits(until: { server.core.openWatches == 1 && server.listener.openConnections == 1 })
        clients.append(try server.watch())
        #expect(server.core.openWatches == 2)
    }

    @Test func `a disconnected client is detected, and no longer counts`() throws {
        let server = try RunningServer()
        var client: SocketClient? = try server.watch()
        #expect(client != nil)
        #expect(server.core.openWatches == 1)
        client = nil
        try server.waits(until: { server.core.openWatches == 0 && server.listener.openConnections == 0 })
    }

    @Test func `a stop ends watches at once, even if the client does not read`() throws {
        let server = try RunningServer()
        let client = try server.watch()
        let lazy = try server.watch(String(repeating: "n", count: 512), receiveBuffer: 1)
        let began = ContinuousClock.now
        #expect(server.listener.stop())
        #expect(ContinuousClock.now - began < .seconds(4), "the grace period is five")
        #expect(try client.text(until: "0\r\n\r\n") == "\r\n0\r\n\r\n", "a whole answer, and its end")
        #expect(client.isHungUp())
        #expect(lazy.isHungUp())
        #expect(server.core.openWatches == 0)
    }

    @Test func `a watch ends normally even if the server stops directly after its beginning`() throws {
        for _ in 0..<40 {
            let server = try RunningServer()
            let client = try server.watch()
            #expect(server.listener.stop())
            #expect(try client.text(until: "0\r\n\r\n") == "\r\n0\r\n\r\n")
        }
    }

    @Test func `a reader that does not read is disconnected, and another reader continues`() throws {
        let server = try RunningServer(clientTimeout: .seconds(2), heartbeat: .milliseconds(50))
        // Three kilobytes in one event.
        let name = String(repeating: "\u{1}", count: 512)
        let lazy = try server.watch(String(repeating: "%01", count: 512), receiveBuffer: 1)
        let client = try server.watch("notes")
        var version: Int64 = 0
        // The system's buffers of the socket become full at some time.
        try server.waits(until: {
            for collection in [name, "notes"] {
                version += 1
                let feed = ServerFeed(id: 1, account: "open", last: version, horizon: 0, purges: 0)
                server.core.announce(feed, account: "open", collection: collection)
            }
            _ = try client.text(until: "changed")
            return server.core.openWatches == 1
        })
        #expect(try server.answer("GET", "/v1/notes").status == 200)
        _ = try client.text(until: "\n\n")
        #expect(lazy.isHungUp())
    }

    @Test func `HTTP/1.0 has no chunks, and gets the events unframed`() throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send("GET /v1/?watch=notes HTTP/1.0\nAccept: text/event-stream\n\n")
        _ = try client.text(until: "\r\n\r\n")
        #expect(try client.text(until: "\n\n").hasPrefix("event: changed\ndata: "))
        #expect(try server.answer("POST", "/v1/notes", body: RunningServer.create("1")).status == 200)
        #expect(try client.text(until: "\n\n").hasPrefix("event: changed\ndata: "))
    }

    @Test func `five hundred watches use one thread, and each gets the hint of a commit`() throws {
        let server = try RunningServer()
        let clients = try (0..<500).map { _ in try server.watch() }
        #expect(server.listener.openConnections == 500)
        #expect(try server.answer("POST", "/v1/notes", body: RunningServer.create("1")).status == 200)
        for client in clients { #expect(try client.text(until: "\n\n").contains("changed")) }
        #expect(Self.threads < 400)
    }

    private static var threads: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }
}
