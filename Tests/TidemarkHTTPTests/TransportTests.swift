import CannedHTTP
import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkMachine

@Suite(.timeLimit(.minutes(10))) struct `Failures of the network` {
    @Test func `a server that does not run is offline, and the error names it`() async throws {
        let server = try CannedServer(.text(""))
        server.stop()
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url), .post())
        #expect(failure.failureClass == .offline)
        #expect(failure.message.contains("Could not connect to \(server.url)"))
        #expect(failure.message.contains("Is the server running"))
    }

    @Test func `a host that does not exist is offline, and the error names it`() async throws {
        let failure = try await exchangeFailure(of: try HTTPRemote(url: "http://nowhere.invalid/v1"))
        #expect(failure.failureClass == .offline)
        #expect(failure.message.contains("nowhere.invalid"))
    }

    @Test(
        arguments: [
            CannedServer.Reply.text(""),
            .text("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n\(emptyAnswer)"),
            .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"ite"),
        ])
    func `truncated-body: an answer that breaks off is offline, not "no rows"`(reply: CannedServer.Reply) async throws {
        let server = try CannedServer(reply)
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url), .post())
        #expect(failure.failureClass == .offline, "\(failure)")
        #expect(failure.message.contains(server.url))
    }

    @Test func `truncated-body: an answer that is reset in the middle is offline (H06)`()
        async throws
    {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"ite"
        let server = try CannedServer(.reset(Array(head.utf8)))
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url), .post())
        #expect(failure.failureClass == .offline, "\(failure)")
    }

    @Test func `an answer that is not HTTP is an invalid answer`() async throws {
        let server = try CannedServer(.text("SSH-2.0-OpenSSH_9.2\r\n"))
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url))
        #expect(failure.failureClass == .invalidAnswer, "\(failure)")
        #expect(failure.message.contains("does not speak HTTP"))
    }

    @Test func `a server without TLS at an https URL is reported as not secure`() async throws {
        let server = try CannedServer(.http("200 OK", body: emptyAnswer))
        let failure = try await exchangeFailure(of: try HTTPRemote(url: "https://127.0.0.1:\(server.port)/v1"))
        server.stop()
        #expect(failure.failureClass == .offline)
        #expect(failure.message.contains("is not secure"), "\(failure)")
    }

    @Test(
        arguments: [
            CannedServer.Reply.stall([]),
            .stall(Array("HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{".utf8)),
        ])
    func `a silent server is offline after the limit`(reply: CannedServer.Reply) async throws {
        let server = try CannedServer(reply)
        let options = HTTPRemote.Options(silence: .seconds(1))
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url, options: options), .post())
        #expect(failure.failureClass == .offline)
        #expect(failure.message.contains("sent nothing for"), "\(failure)")
    }

    @Test func `an answer that takes too long is aborted`() async throws {
        let server = try CannedServer(.http("200 OK", body: emptyAnswer))
        let options = HTTPRemote.Options(exchange: .zero)
        let failure = try await exchangeFailure(of: try HTTPRemote(url: server.url, options: options))
        #expect(failure.failureClass == .offline)
        #expect(failure.message.contains("not complete"))
    }

    @Test(arguments: [true, false])
    func `a cancelled exchange ends at once, and its outcome is unknown`(isUnderWay: Bool) async throws {
        let server = try CannedServer(.stall([]))
        let remote = try HTTPRemote(url: server.url)
        let task = Task { try await exchangeFailure(of: remote, .post()) }
        if isUnderWay {
            await server.requestCame()
        }
        task.cancel()
        let failure = try await task.value
        #expect(failure.failureClass == .cancelled)
        #expect(failure.message.contains("cancelled"))
    }
}
