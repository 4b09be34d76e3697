import CannedHTTP
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkMachine

@Suite(.timeLimit(.minutes(2))) struct `I10 an answer that is cut` {
    static let answer =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(emptyAnswer.utf8.count)\r\n\r\n\(emptyAnswer)"

    @Test(arguments: 0..<Self.answer.utf8.count)
    func `at any byte is offline, and the process goes on`(cut: Int) async throws {
        let server = try CannedServer(.bytes(Array(Self.answer.utf8.prefix(cut))))
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url), .post())
        #expect(failure.failureClass == .offline)
        #expect(failure.message.contains("broke off"))
    }

    @Test func `nowhere is taken`() async throws {
        let server = try CannedServer(.text(Self.answer))
        #expect(try await HTTPRemote(url: server.url).exchange(.get).watermark == "w")
    }
}

@Suite(.timeLimit(.minutes(2))) struct `An answer before its time` {
    @Test func `to a large body that is not read is understood all the same`() async throws {
        let server = try EarlyServer("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
        let options = HTTPRemote.Options(packedFrom: nil)
        let remote = try HTTPRemote(url: server.url, options: options)
        let failure = try await exchangeFailure(of: remote, .post(12_000_000))
        #expect(failure.failureClass == .refused, "\(failure)")
    }
}
