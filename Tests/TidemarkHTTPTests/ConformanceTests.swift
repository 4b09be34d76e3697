import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkTesting

@Suite struct `The contract of a remote` {
    @Test(arguments: RemoteConformance.checks)
    func `a remote over HTTP passes each conformance check`(check: RemoteConformance.Check) async throws {
        let server = try LiveServer()
        try await check.run { try HTTPRemote(url: server.url) }
    }

    @Test(arguments: RemoteConformance.checks)
    func `a remote over HTTP with compressed bodies and a token passes each check`(check: RemoteConformance.Check)
        async throws
    {
        let server = try LiveServer(tokens: ["token-1", "token-2"])
        try await check.run {
            try HTTPRemote(url: server.url + "/", token: "token-2", options: HTTPRemote.Options(packedFrom: 1))
        }
    }

    @Test(arguments: RemoteConformance.checks)
    func `a remote in one process passes each conformance check`(check: RemoteConformance.Check) async throws {
        try await check.run { InProcessRemote(try InProcessServer()) }
    }
}
