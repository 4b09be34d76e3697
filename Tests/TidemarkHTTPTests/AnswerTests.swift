import CannedHTTP
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkMachine
import TidemarkTesting
import TidemarkWire

@Suite(.timeLimit(.minutes(10))) struct `Answers over HTTP` {
    @Test func `captive-portal: a web page with status 200 is the class portal`() async throws {
        let server = try CannedServer(
            .http("200 OK", ["Content-Type: text/html"], body: "<html><p>Sign in</p></html>"))
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url), .post())
        #expect(failure.failureClass == .portal)
        #expect(failure.message.contains("sign in first"))
    }

    @Test func `a URL without v1 is reported as a wrong URL`() async throws {
        let server = try LiveServer()
        let failure = try await exchangeFailure(of: try HTTPRemote(url: String(server.url.dropLast(3))), .post())
        #expect(failure.failureClass == .notFound)
        #expect(failure.message.contains("/v1"))
        #expect(failure.problem?.status == 404)
    }

    @Test func `retry-after is found in every case of its name`() async throws {
        let server = try CannedServer(.http("503 Service Unavailable", ["rEtRy-AfTeR: 7"]))
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url))
        #expect(failure.failureClass == .busy)
        #expect(failure.retryAfter == .delay(.seconds(7)))
    }

    @Test func `an interim answer is skipped with its fields`() async throws {
        let interim = "HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n"
        let server = try CannedServer(
            .text(interim + "HTTP/1.1 503 Busy\r\nretry-after:  7 \r\nContent-Length: 0\r\n\r\n"))
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url))
        #expect(failure.retryAfter == .delay(.seconds(7)))
    }

    #if !canImport(Darwin)
        @Test func `a head without an end is aborted at the limit`() async throws {
            let field = "A: 0123456789\r\n"
            let server = try CannedServer(
                .stall(Array(("HTTP/1.1 200 OK\r\n" + String(repeating: field, count: 5000)).utf8)))
            let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url))
            #expect(failure.failureClass == .invalidAnswer, "\(failure)")
        }
    #endif

    @Test func `an empty answer is an invalid answer`() async throws {
        let server = try CannedServer(.http("200 OK", ["Content-Type: application/json"]))
        #expect(try await exchangeFailure(of: try HTTPRemote(url: server.url)).failureClass == .invalidAnswer)
    }

    @Test func `an answer over the limit is aborted at the limit`() async throws {
        // The server declares no length and sends no end: only the limit can end this exchange.
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
        let server = try CannedServer(.stall(Array((head + String(repeating: " ", count: 200_000)).utf8)))
        let options = HTTPRemote.Options(answerLimit: 100_000)
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url, options: options))
        #expect(failure.failureClass == .invalidAnswer)
        #expect(failure.message.contains("larger than 100000 bytes"))
        #expect(failure.blame == .answerSize)
    }

    @Test func `an answer of exactly the limit is accepted`() async throws {
        let server = try CannedServer(.http("200 OK", body: emptyAnswer))
        let options = HTTPRemote.Options(answerLimit: emptyAnswer.utf8.count)
        #expect(try await HTTPRemote(url: server.url, options: options).exchange(.get).cursor == "w")
    }

    @Test func `a compressed answer that is larger than the limit when decompressed is refused`() async throws {
        let server = try LiveServer()
        _ = try await HTTPRemote(url: server.url).exchange(.post(300_000))
        let options = HTTPRemote.Options(answerLimit: 100_000)
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url, options: options))
        #expect(failure.message.contains("larger than 100000 bytes"))
    }
}

@Suite(.timeLimit(.minutes(10))) struct `Compressed requests` {
    @Test func `a large body is sent as gzip, and a small one as it is`() async throws {
        let server = try CannedServer(.http("503 Busy"))
        let remote = try HTTPRemote(url: server.url)
        for request in [ExchangeRequest.post(10), .post(5000), .get] {
            _ = try await exchangeFailure(of: remote, request)
        }
        try #require(server.requests.count == 3)
        #expect(server.requests.map { $0.header("Content-Encoding") } == [nil, "gzip", nil])
        #expect(server.requests[0].body == WireRequest(.post(10)).body)
        #expect(server.requests[1].body.count < 1000)
        #expect(server.requests[1].header("Content-Type") == "application/json")
        #expect(server.requests[2].body.isEmpty)
    }

    @Test func `a server that refuses gzip gets plain bodies from then on`() async throws {
        let answer = #"{"results":[],"# + emptyAnswer.dropFirst()
        let server = try CannedServer(.http("415 Unsupported Media Type"), .http("200 OK", body: answer))
        let remote = try HTTPRemote(url: server.url)
        for _ in 1...2 {
            #expect(try await remote.exchange(.post(5000)).cursor == "w")
        }
        #expect(server.requests.map { $0.header("Content-Encoding") } == ["gzip", nil, nil])
        #expect(server.requests.last?.body == WireRequest(.post(5000)).body)
    }
}
