import Testing
import TidemarkCore
import TidemarkMachine
import TidemarkTesting

@Suite struct `A client and a server in one process` {
    @Test func `what was posted comes back, with its number text, to another reader`() async throws {
        let server = try InProcessServer()
        let remote = InProcessRemote(server)
        let edit =
            #"{"request_id":"r1","pk":"a/b","sync_state":"CREATED","edited_data":"#
            + #"[{"op":"add","path":"","value":{"n":1.10}}]}"#
        let posted = try await remote.exchange(
            ExchangeRequest(
                collection: "to do", uploads: [try UploadRequest(frozen: Array(edit.utf8))], watermark: nil, limit: 10))
        let stamp = "\(server.clock.microseconds)"
        let data = Array(#"{"n":1.10}"#.utf8)
        #expect(
            posted.results == [
                UploadResult(requestID: "r1", outcome: .accepted(StoredVersion(stamp: stamp, data: data)))
            ])
        let read = try await remote.exchange(ExchangeRequest(collection: "to do", watermark: nil, limit: 10))
        let row = try #require(read.page.rows.first)
        #expect(read.page.pk(of: row) == "a/b")
        #expect(read.page.version(of: row) == StoredVersion(stamp: stamp, data: data))
        #expect(read.epoch == "epoch-1")
    }

    @Test func `a wrong token is the class auth, and the right one is not`() async throws {
        let server = try InProcessServer(tokens: ["right"])
        let request = ExchangeRequest(collection: "notes", watermark: nil, limit: 1)
        _ = try await InProcessRemote(server, token: "right").exchange(request)
        for token in ["wrong", nil] {
            await #expect {
                try await InProcessRemote(server, token: token).exchange(request)
            } throws: {
                ($0 as? RemoteFailure)?.failureClass == .auth
            }
        }
    }

    @Test func `a manual clock moves only by hand, and stamps the rows`() throws {
        let clock = ManualClock(.seconds(5))
        clock.advance(by: .microseconds(7))
        #expect(clock.microseconds == 5_000_007)
        clock.set(to: .seconds(1))
        #expect(clock.now == .seconds(1))
    }
}
