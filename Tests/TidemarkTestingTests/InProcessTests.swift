import Testing
import TidemarkCore
import TidemarkMachine
import TidemarkTesting

@Suite struct `A client and a server in one process` {
    @Test func `a posted record is returned to another reader with the same number text`() async throws {
        let server = try InProcessServer()
        let remote = InProcessRemote(server)
        let edit =
            #"{"request_id":"r1","pk":"a/b","sync_state":"CREATED","edited_data":"#
            + #"[{"op":"add","path":"","value":{"n":1.10}}]}"#
        let posted = try await remote.exchange(
            ExchangeRequest(
                collection: "to do", uploads: [try UploadRequest(encodedEdit: Array(edit.utf8))], cursor: nil, limit: 10
            ))
        let version = "\(server.clock.microseconds)"
        let data = Array(#"{"n":1.10}"#.utf8)
        #expect(
            posted.results == [
                UploadResult(requestID: "r1", outcome: .accepted(StoredVersion(version: version, data: data)))
            ])
        let read = try await remote.exchange(ExchangeRequest(collection: "to do", cursor: nil, limit: 10))
        let row = try #require(read.page.rows.first)
        #expect(read.page.pk(of: row) == "a/b")
        #expect(read.page.version(of: row) == StoredVersion(version: version, data: data))
        #expect(read.epoch == "epoch-1")
    }

    @Test func `a wrong token fails with the class auth, and the right one does not`() async throws {
        let server = try InProcessServer(tokens: ["right"])
        let request = ExchangeRequest(collection: "notes", cursor: nil, limit: 1)
        _ = try await InProcessRemote(server, token: "right").exchange(request)
        for token in ["wrong", nil] {
            await #expect {
                try await InProcessRemote(server, token: token).exchange(request)
            } throws: {
                ($0 as? RemoteFailure)?.failureClass == .auth
            }
        }
    }

    @Test func `a manual clock moves only with the test, and determines the versions`() throws {
        let clock = ManualClock(.seconds(5))
        clock.advance(by: .microseconds(7))
        #expect(clock.microseconds == 5_000_007)
        clock.set(to: .seconds(1))
        #expect(clock.now == .seconds(1))
    }
}
