import Foundation
import Testing
import TestSupport
import TidemarkListener
import TidemarkServer

@Suite("Bodies over the limit, slow and half-open clients (W10)", .timeLimit(.minutes(10)))
struct LimitTests {
    private func limits(body: Int) -> ServerLimits {
        var limits = ServerLimits()
        limits.body = body
        return limits
    }

    @Test func `a body over the limit is 413 before any of it is sent (W10)`() throws {
        let server = try RunningServer(limits: self.limits(body: 1_000))
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 1001\n\n")
        let answer = try client.answer()
        #expect(answer.status == 413)
        #expect(answer["content-type"] == "application/problem+json")
        #expect(answer.text.contains("1000 bytes"))
    }

    @Test func `a client that expects 100 gets 413 and sends no body (W10)`() throws {
        let server = try RunningServer(limits: self.limits(body: 1_000))
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 99999999\nExpect: 100-continue\n\n")
        #expect(try client.answer().status == 413)
    }

    @Test func `a client that sends the whole body first can read the 413 (W10)`() throws {
        let server = try RunningServer(limits: self.limits(body: 100_000))
        let body = [UInt8](repeating: 0x20, count: 20_000_000)
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: \(body.count)\n\n")
        #expect(client.send(body))
        #expect(try client.answer().status == 413)
    }

    @Test func `a body in chunks is 413 as soon as it exceeds the limit (W10)`() throws {
        let server = try RunningServer(limits: self.limits(body: 100_000))
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n")
        let chunk = [UInt8](repeating: 0x20, count: 60_000)
        for _ in 0..<2 {
            client.send(String(chunk.count, radix: 16) + "\n")
            client.send(chunk)
            client.send("\n")
        }
        // The body has not ended yet.
        let answer = try client.answer()
        #expect(answer.status == 413)
        #expect(answer["connection"] == "close")
        client.finishSending()
        #expect(client.isHungUp())
        #expect(try server.answer("GET", "/v1/notes").status == 200)
    }

    @Test func `a large unauthorized body is 401 before it is read (W10)`() throws {
        let server = try RunningServer(tokens: ["t1"])
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 7000000\n\n")
        let answer = try client.answer()
        #expect(answer.status == 401)
        #expect(answer["www-authenticate"] == "Bearer")
    }

    @Test func `a body of exactly the limit is accepted`() throws {
        let body = RunningServer.create("1", bytes: 10_000)
        let server = try RunningServer(limits: self.limits(body: body.count))
        #expect(try server.answer("POST", "/v1/notes", body: body).status == 200)
    }

    @Test(arguments: [
        "", "GET /v1/no", "GET /v1/notes HTTP/1.1\nHos", "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 10\n\n{",
    ])
    func `a client that falls silent is disconnected in any state (W10)`(sent: String) throws {
        let server = try RunningServer(clientTimeout: .milliseconds(300))
        let client = try server.connect()
        client.send(sent)
        #expect(client.isHungUp())
        #expect(server.core.handle(ServerRequest(method: "GET", target: "/v1/notes")).status == 200)
    }

    @Test(arguments: ["GET /v1/", "POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 100000\n\n"])
    func `a client that sends single bytes is disconnected (W10)`(start: String) throws {
        let server = try RunningServer(clientTimeout: .milliseconds(300))
        let client = try server.connect()
        client.send(start)
        var drops = 0
        while !client.waitsForBytes(milliseconds: 20), drops < 1_000 {
            client.send([0x78])
            drops += 1
        }
        #expect(drops < 1_000)
        #expect(client.isHungUp())
    }

    @Test func `a client that does not read its answer is disconnected (W10)`() throws {
        let server = try RunningServer(clientTimeout: .seconds(1), slowestRate: 1_000_000_000)
        try server.fill("1", bytes: 7_000_000)
        let client = try server.connect(receiveBuffer: 4_096)
        client.send("GET /v1/notes/1 HTTP/1.1\nHost: x\n\n")
        #expect(client.waitsForBytes(milliseconds: 10_000))
        // The connection is closed while the client does not read: then it gets only a part of the answer.
        blockUntil("the client is dropped") { server.listener.openConnections == 0 }
        #expect(throws: SocketClient.Ended.self) { try client.answer().status }
    }

    @Test func `other clients are served while one is slow`() throws {
        let server = try RunningServer()
        let slow = try server.connect()
        slow.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: 100\n\n{")
        #expect(try server.answer("GET", "/v1/notes").status == 200)
    }
}
