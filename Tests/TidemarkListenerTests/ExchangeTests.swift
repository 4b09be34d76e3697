import Foundation
import Testing
import TidemarkGzip
import TidemarkListener
import TidemarkServer

@Suite("The wire over TCP", .timeLimit(.minutes(10)))
struct ExchangeTests {
    @Test func `a POST and a GET over TCP get the core's answers`() throws {
        let server = try RunningServer()
        let posted = try server.answer("POST", "/v1/notes?limit=5", body: RunningServer.create("1"))
        #expect(posted.status == 200)
        #expect(posted["content-type"] == "application/json")
        #expect(posted.text.contains(#""is_conflicted":false"#))
        let listed = try server.answer("GET", "/v1/notes")
        let direct = server.core.handle(ServerRequest(method: "GET", target: "/v1/notes"))
        #expect(listed.body == direct.body)
    }

    @Test func `path and query arrive with their escapes, and headers too`() throws {
        let server = try RunningServer(tokens: ["t1"])
        let token = "Authorization: Bearer t1\n"
        _ = try server.answer("POST", "/v1/my%20notes", headers: token, body: RunningServer.create("a/b +ü"))
        let item = try server.answer("GET", "/v1/my%20notes/a%2Fb%20+%C3%BC", headers: token)
        #expect(item.status == 200)
        #expect(item.text.contains("a/b +ü"))
        let page = try server.answer("GET", "/v1/my%20notes?limit=%31&max_updated_at=", headers: token)
        #expect(page.status == 200)
        #expect(try server.answer("GET", "/v1/my%20notes").status == 401)
        #expect(try server.answer("GET", "/v1/my%20notes")["www-authenticate"] == "Bearer")
    }

    @Test func `one connection carries several requests`() throws {
        let server = try RunningServer()
        let client = try server.connect()
        for name in ["1", "2", "3"] {
            let body = RunningServer.create(name)
            client.send("POST /v1/notes HTTP/1.1\nHost: localhost\nContent-Length: \(body.count)\n\n")
            client.send(body)
            #expect(try client.answer().status == 200)
        }
        client.send("GET /v1/notes/3 HTTP/1.1\nHost: localhost\n\n")
        #expect(try client.answer().status == 200)
    }

    @Test func `pipelined requests are answered in order`() throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send("GET /v1/notes HTTP/1.1\nHost: x\n\nGET /nowhere HTTP/1.1\nHost: x\n\n")
        #expect(try client.answer().status == 200)
        #expect(try client.answer().status == 404)
    }

    @Test func `HEAD returns the head of a GET, and no body`() throws {
        let server = try RunningServer()
        try server.fill("1", bytes: 10)
        let client = try server.connect()
        client.send("HEAD /v1/notes/1 HTTP/1.1\nHost: x\n\nGET /v1/notes/1 HTTP/1.1\nHost: x\n\n")
        let head = try client.answer(isToHead: true)
        let whole = try client.answer()
        #expect(head.status == 200)
        #expect(head["content-length"] == whole["content-length"])
        #expect(whole.text.hasPrefix(#"{"pk":"1""#))
    }

    @Test func `a body in chunks is accepted`() throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n")
        let body = RunningServer.create("1")
        for part in [body.prefix(20), body.dropFirst(20)] {
            client.send(String(part.count, radix: 16) + "\n")
            client.send(Array(part))
            client.send("\n")
        }
        client.send("0\n\n")
        #expect(try client.answer().status == 200)
        #expect(server.core.handle(ServerRequest(method: "GET", target: "/v1/notes/1")).status == 200)
    }

    @Test func `a client that expects 100 is told to continue`() throws {
        let server = try RunningServer()
        let client = try server.connect()
        let body = RunningServer.create("1")
        client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: \(body.count)\nExpect: 100-continue\n\n")
        #expect(try client.answer().status == 100)
        client.send(body)
        #expect(try client.answer().status == 200)
    }

    @Test(arguments: ["NONSENSE\n\n", "GET\n\n", "GET /v1/notes HTTP/1.1\nContent-Length: x\nHost: x\n\n"])
    func `a malformed request is 400 and ends its connection; other connections continue`(request: String) throws {
        let server = try RunningServer()
        let client = try server.connect()
        client.send(request)
        let status = try? client.answer().status
        #expect(status == nil || status == 400)
        #expect(client.isHungUp())
        #expect(try server.answer("GET", "/v1/notes").status == 200)
    }

    @Test func `many simultaneous clients are all answered`() async throws {
        let server = try RunningServer()
        let port = server.listener.port
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let client = try SocketClient(port: port)
                    let body = RunningServer.create("\(number)")
                    client.send("POST /v1/notes HTTP/1.1\nHost: x\nContent-Length: \(body.count)\n\n")
                    client.send(body)
                    return try client.answer().status
                }
            }
            for try await status in group {
                #expect(status == 200)
            }
        }
        let page = try server.answer("GET", "/v1/notes")
        #expect(page.text.split(separator: #""is_active":true"#).count == 41)
    }
}

@Suite("gzip in both directions", .timeLimit(.minutes(10)))
struct PackingTests {
    @Test func `a compressed body is decompressed`() throws {
        let server = try RunningServer()
        let body = try Gzip.compress(RunningServer.create("1", bytes: 5_000))
        let answer = try server.answer("POST", "/v1/notes", headers: "Content-Encoding: gzip\n", body: body)
        #expect(answer.status == 200)
        #expect(try server.answer("GET", "/v1/notes/1").text.count > 5_000)
    }

    @Test func `a large answer is compressed for a client that accepts gzip`() throws {
        let server = try RunningServer()
        try server.fill("1", bytes: 5_000)
        let plain = try server.answer("GET", "/v1/notes/1")
        #expect(plain["content-encoding"] == nil)
        #expect(plain["vary"] == "Accept-Encoding")
        let packed = try server.answer("GET", "/v1/notes/1", headers: "Accept-Encoding: br, gzip\n")
        #expect(packed["content-encoding"] == "gzip")
        #expect(packed.body.count < 1_000)
        #expect(try Gzip.decompress(packed.body, limit: 100_000) == plain.body)
    }

    @Test(arguments: ["identity", "gzip;q=0", "br", "*;q=0", "gzip; q=0.0"])
    func `an answer is not compressed for a client that does not accept gzip`(accepted: String) throws {
        let server = try RunningServer()
        try server.fill("1", bytes: 5_000)
        let answer = try server.answer("GET", "/v1/notes/1", headers: "Accept-Encoding: \(accepted)\n")
        #expect(answer["content-encoding"] == nil)
    }

    @Test func `a small answer is not compressed`() throws {
        let server = try RunningServer()
        try server.fill("1", bytes: 10)
        let answer = try server.answer("GET", "/v1/notes/1", headers: "Accept-Encoding: gzip\n")
        #expect(answer["content-encoding"] == nil)
    }

    @Test func `a gzip bomb is 413 (W10)`() throws {
        var limits = ServerLimits()
        limits.body = 100_000
        let server = try RunningServer(limits: limits)
        let bomb = try Gzip.compress([UInt8](repeating: 0x20, count: 50_000_000))
        #expect(bomb.count < limits.body)
        let answer = try server.answer("POST", "/v1/notes", headers: "Content-Encoding: gzip\n", body: bomb)
        #expect(answer.status == 413)
        #expect(answer["content-type"] == "application/problem+json")
    }

    @Test func `a body with a wrong coding is 400, and an unsupported coding is 415`() throws {
        let server = try RunningServer()
        let plain = RunningServer.create("1")
        #expect(try server.answer("POST", "/v1/notes", headers: "Content-Encoding: gzip\n", body: plain).status == 400)
        #expect(try server.answer("POST", "/v1/notes", headers: "Content-Encoding: br\n", body: plain).status == 415)
    }
}
