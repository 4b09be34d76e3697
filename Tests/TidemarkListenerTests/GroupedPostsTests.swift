import Foundation
import Synchronization
import Testing
import TestSupport
import TidemarkListener
import TidemarkServer

@Suite("Simultaneous POSTs over HTTP", .timeLimit(.minutes(10)))
struct GroupedPostsTests {
    /// A token that is an account: it is checked without the clock, which is the gate here.
    private static let key = "Authorization: Bearer t\n"

    private static func post(_ client: SocketClient, _ pk: String) {
        let body = RunningServer.create(pk)
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: \(body.count)\n\(Self.key)\n")
        client.send(body)
    }

    /// A server on a file, whose POSTs wait in their transaction until the gate is open.
    private static func server(_ gate: Gate, in folder: URL) throws -> RunningServer {
        try RunningServer(
            .file(folder.appendingPathComponent("server.db").path), tokens: ["t"],
            now: {
                gate.pass()
                return 1_000
            })
    }

    private static func withFolder(_ work: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tidemark-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try work(folder)
    }

    @Test func `a GET is answered while a POST's transaction is open`() throws {
        try Self.withFolder { folder in
            let gate = Gate()
            let server = try Self.server(gate, in: folder)
            let writer = try server.connect()
            Self.post(writer, "1")
            gate.awaitArrival()
            let page = try server.answer("GET", "/v1/notes", headers: Self.key)
            #expect(page.status == 200)
            #expect(page.text.contains(#""items":[]"#))
            #expect(!writer.waitsForBytes(milliseconds: 0), "an answer is sent only after the commit")
            gate.open()
            #expect(try writer.answer().status == 200)
            #expect(try server.answer("GET", "/v1/notes/1", headers: Self.key).status == 200)
        }
    }

    @Test func `a POST with a known token does not wait for the look-up of another token`() throws {
        try Self.withFolder { folder in
            let gate = Gate()
            // The clock is read before the cache, and before the storage: the second is the gate.
            let readings = Mutex<Int?>(nil)
            let server = try RunningServer(
                .file(folder.appendingPathComponent("server.db").path), tokens: ["t"],
                now: {
                    let reading = readings.withLock { readings in
                        readings = readings.map { $0 + 1 }
                        return readings
                    }
                    if reading == 2 { gate.pass() }
                    return 1_000
                })
            let token = try server.core.withAccounts { (book) throws(ServerStorageError) in
                try book.addAccount(named: "ada")
                return try book.addToken(to: "ada").token
            }
            readings.withLock { $0 = 0 }
            let slow = try server.connect()
            let body = RunningServer.create("1")
            slow.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: \(body.count)\n")
            slow.send("Authorization: Bearer \(token)\n\n")
            slow.send(body)
            gate.awaitArrival()
            let client = try server.connect()
            Self.post(client, "2")
            #expect(try client.answer().status == 200)
            #expect(!slow.waitsForBytes(milliseconds: 0))
            gate.open()
            #expect(try slow.answer().status == 200)
        }
    }

    @Test func `a packed POST with an unknown token is 401, whatever its body is (W10)`() throws {
        let server = try RunningServer(tokens: ["t"])
        let headers = "Content-Encoding: gzip\nAuthorization: Bearer other\n"
        #expect(try server.answer("POST", "/v1/notes", headers: headers, body: Array("no gzip".utf8)).status == 401)
        let known = "Content-Encoding: gzip\n\(Self.key)"
        #expect(try server.answer("POST", "/v1/notes", headers: known, body: Array("no gzip".utf8)).status == 400)
    }

    @Test func `a stop finishes the current POST and the POSTs that wait behind it`() throws {
        try Self.withFolder { folder in
            let gate = Gate()
            let server = try Self.server(gate, in: folder)
            let clients = try (0..<5).map { _ in try server.connect() }
            Self.post(clients[0], "0")
            gate.awaitArrival()
            for (number, client) in clients.enumerated().dropFirst() {
                // The head has arrived when the server answers 100: the stop then waits for this client.
                client.send("POST /v1/notes HTTP/1.1\nHost: x\nExpect: 100-continue\n\(Self.key)")
                let body = RunningServer.create("\(number)")
                client.send("Content-Length: \(body.count)\n\n")
                #expect(try client.answer().status == 100)
                client.send(body)
            }
            let listener = server.listener
            let stopped = Gate()
            Thread.detachNewThread {
                #expect(listener.stop())
                stopped.open()
            }
            blockUntil("the listener stops") { listener.isStopping }
            gate.open()
            for client in clients {
                let answer = try client.answer()
                #expect(answer.status == 200)
                #expect(answer["connection"] == "close")
            }
            stopped.pass()
            let page = server.core.handle(
                ServerRequest(method: "GET", target: "/v1/notes", headers: [("Authorization", "Bearer t")]))
            #expect(String(decoding: page.body, as: UTF8.self).split(separator: #""pk""#).count == 6)
        }
    }

    @Test func `a refused POST between two accepted ones gets its own answer`() throws {
        try Self.withFolder { folder in
            let gate = Gate()
            let server = try Self.server(gate, in: folder)
            let clients = try (0..<4).map { _ in try server.connect() }
            Self.post(clients[0], "0")
            gate.awaitArrival()
            Self.post(clients[1], "1")
            clients[2].send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 1\n\(Self.key)\n{")
            Self.post(clients[3], "3")
            gate.open()
            #expect(try clients.map { try $0.answer().status } == [200, 200, 400, 200])
        }
    }

    @Test func `a client that disconnects while its POST waits does not affect other POSTs`() throws {
        try Self.withFolder { folder in
            let gate = Gate()
            let server = try Self.server(gate, in: folder)
            let first = try server.connect()
            Self.post(first, "0")
            gate.awaitArrival()
            do {
                let gone = try server.connect()
                Self.post(gone, "1")
            }
            let last = try server.connect()
            Self.post(last, "2")
            gate.open()
            #expect(try first.answer().status == 200)
            #expect(try last.answer().status == 200)
        }
    }
}
