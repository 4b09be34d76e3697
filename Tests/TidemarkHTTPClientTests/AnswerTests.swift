import CannedHTTP
import Testing
import TidemarkHTTPClient
import TidemarkGzip

@Suite(.timeLimit(.minutes(10))) struct `An answer` {
    private func answer(_ status: String, _ fields: [String] = [], body: String = "") async throws -> HTTPAnswer {
        let server = try CannedServer(.http(status, fields, body: body))
        return try await HTTPClient(url: server.url).send(.get)
    }

    @Test(
        arguments: [
            (200, .done), (201, .done), (204, .done), (206, .done), (304, .unchanged), (301, .moved), (300, .moved),
            (401, .unauthorized), (407, .unauthorized), (408, .busy), (425, .busy), (429, .busy), (500, .busy),
            (503, .busy), (599, .busy), (501, .unsupported), (505, .unsupported), (511, .portal), (400, .refused),
            (403, .refused), (404, .refused), (409, .refused), (410, .refused), (412, .refused), (422, .refused),
            (428, .refused), (999, .unknown),
        ] as [(Int, HTTPAnswer.Meaning)])
    func `an answer of every status has its meaning`(status: Int, meaning: HTTPAnswer.Meaning) async throws {
        let answer = try await self.answer("\(status) Words")
        #expect(answer.status == status)
        #expect(answer.meaning == meaning)
    }

    @Test func `a web page as an answer is a portal's`() async throws {
        let page = "<html>Sign in</html>"
        #expect(
            try await self.answer("200 OK", ["Content-Type: Text/HTML; charset=utf-8"], body: "x").meaning == .portal)
        #expect(
            try await self.answer("200 OK", ["Content-Type: application/json"], body: "\n \(page)").meaning == .portal)
        #expect(try await self.answer("404 Not Found", ["Content-Type: text/html"], body: page).meaning == .refused)
        #expect(try await self.answer("201 Created", ["Content-Type: text/html"]).meaning == .done)
        let json = try await self.answer("200 OK", ["Content-Type: Application/JSON ; charset=utf-8"], body: "{}")
        #expect(json.meaning == .done)
        #expect(json.mediaType == "application/json")
        #expect(json.body == Array("{}".utf8))
    }

    @Test func `an answer has its fields in their order, with case-insensitive names`() async throws {
        let answer = try await self.answer("200 OK", ["ETag: \"7\"", "X-Two: a", "x-two:  b "])
        #expect(answer.field("etag") == "\"7\"")
        #expect(answer.field("X-TWO") == "a")
        #expect(answer.fields.filter { $0.name.lowercased() == "x-two" }.map(\.value) == ["a", "b"])
        #expect(answer.field("X-Three") == nil)
    }

    @Test(
        arguments: [
            ("7", .delay(.seconds(7))), ("999999", .delay(.seconds(86_400))),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .time(.seconds(784_111_777))), ("soon", nil),
        ] as [(String, HTTPAnswer.RetryAfter?)])
    func `an answer has Retry-After as seconds or as a date`(
        field: String, expected: HTTPAnswer.RetryAfter?
    ) async throws {
        #expect(try await self.answer("503 Busy", ["retry-AFTER: \(field)"]).retryAfter == expected)
    }

    @Test func `an answer counts a date in Retry-After from its Date`() async throws {
        let dates = ["Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: Sun, 06 Nov 1994 08:50:37 GMT"]
        #expect(try await self.answer("503 Busy", dates).retryAfter == .delay(.seconds(60)))
    }

    @Test func `an answer to a HEAD has a length and no body`() async throws {
        let server = try CannedServer(.text("HTTP/1.1 200 OK\r\nContent-Length: 900\r\nETag: x\r\n\r\n"))
        let answer = try await HTTPClient(url: server.url).send(HTTPRequest("HEAD", "/notes"))
        #expect(answer.field("ETag") == "x")
        #expect(answer.body.isEmpty)
    }

    @Test func `an answer that breaks off differs from an unreachable server`() async throws {
        let server = try CannedServer(.text("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"))
        let client = try HTTPClient(url: server.url)
        #expect(try await failure(of: client, .get).kind == .brokenOff)
        server.stop()
        #expect(try await failure(of: client, .get).kind == .unreachable)
    }

    @Test func `an answer over the size limit is refused, compressed or not`() async throws {
        let body = String(repeating: "x", count: 1_001)
        let limits = HTTPClient.Limits(answerSize: 1_000)
        let plain = try CannedServer(.http("200 OK", body: body), .http("200 OK", body: String(body.dropLast())))
        let client = try HTTPClient(url: plain.url, limits: limits)
        #expect(try await failure(of: client, .get).kind == .tooLarge)
        #expect(try await client.send(.get).body.count == 1_000)
        #if !canImport(Darwin)
            let packed = try Gzip.compress(Array(body.utf8))
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"
            let bomb = try CannedServer(.bytes(Array(head.utf8) + packed))
            #expect(try await failure(of: try HTTPClient(url: bomb.url, limits: limits), .get).kind == .tooLarge)
        #endif
    }

    #if !canImport(Darwin)
        @Test(arguments: [(100, true), (99, false)])
        func `an answer with a head over the limit is refused`(size: Int, isTaken: Bool) async throws {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: "
            let padding = String(repeating: "x", count: 100 - head.utf8.count - 4)
            let server = try CannedServer(.text("\(head)\(padding)\r\n\r\n"))
            let client = try HTTPClient(url: server.url, limits: HTTPClient.Limits(headSize: size))
            if isTaken {
                #expect(try await client.send(.get).status == 200)
            } else {
                #expect(try await failure(of: client, .get).kind == .notUnderstood)
            }
        }
    #endif

    @Test func `an answer that switches to another protocol is refused at once`() async throws {
        let head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n"
        let server = try CannedServer(.stall(Array(head.utf8)))
        let client = try HTTPClient(url: server.url, limits: HTTPClient.Limits(silence: .seconds(20)))
        let failure = try await failure(of: client, .get)
        #expect(failure.kind == .notUnderstood)
        #expect(failure.message.contains("101"), "\(failure)")
    }

    @Test func `a cancelled request does not wait for its answer`() async throws {
        let server = try CannedServer(.stall([]))
        let client = try HTTPClient(url: server.url)
        let task = Task { try await failure(of: client, .get) }
        await server.requestCame()
        task.cancel()
        #expect(try await task.value.kind == .cancelled)
    }
}
