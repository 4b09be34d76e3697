import CannedHTTP
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkMachine

@Suite(.timeLimit(.minutes(10))) struct `A truncated answer (I10)` {
    static let answer =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(emptyAnswer.utf8.count)\r\n\r\n\(emptyAnswer)"

    @Test(arguments: 0..<Self.answer.utf8.count)
    func `an answer truncated at any byte is offline and does not end the process`(cut: Int) async throws {
        let server = try CannedServer(.bytes(Array(Self.answer.utf8.prefix(cut))))
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url), .post())
        #expect(failure.failureClass == .offline)
        #expect(failure.message.contains("was lost before"))
    }

    @Test func `an answer that is not truncated is accepted`() async throws {
        let server = try CannedServer(.text(Self.answer))
        #expect(try await HTTPRemote(url: server.url).exchange(.get).cursor == "w")
    }
}

@Suite(.timeLimit(.minutes(10))) struct `An early answer` {
    @Test func `an answer that comes before a large body is read is accepted`() async throws {
        let server = try EarlyServer("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
        let options = HTTPRemote.Options(packedFrom: nil)
        let remote = try HTTPRemote(url: server.url, options: options)
        let failure = try await exchangeFailure(of: remote, .post(12_000_000))
        #expect(failure.failureClass == .refused, "\(failure)")
    }
}
