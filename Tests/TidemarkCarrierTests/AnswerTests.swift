import CannedHTTP
import Testing
import TidemarkCarrier
import TidemarkGzip

@Suite(.timeLimit(.minutes(2))) struct `An answer` {
    private func answer(_ status: String, _ fields: [String] = [], body: String = "") async throws -> CarrierAnswer {
        let server = try CannedServer(.http(status, fields, body: body))
        return try await HTTPCarrier(url: server.url).send(.get)
    }

    @Test(
        arguments: [
            (200, .done), (201, .done), (204, .done), (206, .done), (304, .unchanged), (301, .moved), (300, .moved),
            (401, .unauthorised), (407, .unauthorised), (408, .busy), (425, .busy), (429, .busy), (500, .busy),
            (503, .busy), (599, .busy), (501, .unsupported), (505, .unsupported), (511, .portal), (400, .refused),
            (403, .refused), (404, .refused), (409, .refused), (410, .refused), (412, .refused), (422, .refused),
            (428, .refused), (999, .unknown),
        ] as [(Int, CarrierAnswer.Meaning)])
    func `of every status has its meaning`(status: Int, meaning: CarrierAnswer.Meaning) async throws {
        let answer = try await self.answer("\(status) Words")
        #expect(answer.status == status)
        #expect(answer.meaning == meaning)
    }

    @Test func `that is a web page is a portal's, whatever it is called`() async throws {
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

    @Test func `has its fields in their order, found whatever the case of their names`() async throws {
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
        ] as [(String, CarrierAnswer.RetryAfter?)])
    func `says when to ask again, as seconds or as a date`(
        field: String, expected: CarrierAnswer.RetryAfter?
    ) async throws {
        #expect(try await self.answer("503 Busy", ["retry-AFTER: \(field)"]).retryAfter == expected)
    }

    @Test func `to a HEAD has a length and no body`() async throws {
        let server = try CannedServer(.text("HTTP/1.1 200 OK\r\nContent-Length: 900\r\nETag: x\r\n\r\n"))
        let answer = try await HTTPCarrier(url: server.url).send(CarrierRequest("HEAD", "/notes"))
        #expect(answer.field("ETag") == "x")
        #expect(answer.body.isEmpty)
    }

    @Test func `that breaks off is none, and one that was never begun tells it apart`() async throws {
        let server = try CannedServer(.text("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"))
        let carrier = try HTTPCarrier(url: server.url)
        #expect(try await failure(of: carrier, .get).kind == .brokenOff)
        server.stop()
        #expect(try await failure(of: carrier, .get).kind == .unreachable)
    }

    @Test func `is not larger than the limit, packed or not`() async throws {
        let body = String(repeating: "x", count: 1_001)
        let limits = HTTPCarrier.Limits(answerSize: 1_000)
        let plain = try CannedServer(.http("200 OK", body: body), .http("200 OK", body: String(body.dropLast())))
        let carrier = try HTTPCarrier(url: plain.url, limits: limits)
        #expect(try await failure(of: carrier, .get).kind == .tooLarge)
        #expect(try await carrier.send(.get).body.count == 1_000)
        #if !canImport(Darwin)
            let packed = try Gzip.compress(Array(body.utf8))
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n"
            let bomb = try CannedServer(.bytes(Array(head.utf8) + packed))
            #expect(try await failure(of: try HTTPCarrier(url: bomb.url, limits: limits), .get).kind == .tooLarge)
        #endif
    }

    #if !canImport(Darwin)
        @Test(arguments: [(100, true), (99, false)])
        func `has no longer head than the limit`(size: Int, isTaken: Bool) async throws {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: "
            let padding = String(repeating: "x", count: 100 - head.utf8.count - 4)
            let server = try CannedServer(.text("\(head)\(padding)\r\n\r\n"))
            let carrier = try HTTPCarrier(url: server.url, limits: HTTPCarrier.Limits(headSize: size))
            if isTaken {
                #expect(try await carrier.send(.get).status == 200)
            } else {
                #expect(try await failure(of: carrier, .get).kind == .notUnderstood)
            }
        }
    #endif

    @Test func `that switches to another protocol is refused at once`() async throws {
        let head = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n"
        let server = try CannedServer(.stall(Array(head.utf8)))
        let carrier = try HTTPCarrier(url: server.url, limits: HTTPCarrier.Limits(silence: .seconds(20)))
        let failure = try await failure(of: carrier, .get)
        #expect(failure.kind == .notUnderstood)
        #expect(failure.message.contains("101"), "\(failure)")
    }

    @Test func `is not waited for by who was cancelled`() async throws {
        let server = try CannedServer(.stall([]))
        let carrier = try HTTPCarrier(url: server.url)
        let task = Task { try await failure(of: carrier, .get) }
        await server.requestCame()
        task.cancel()
        #expect(try await task.value.kind == .cancelled)
    }
}
