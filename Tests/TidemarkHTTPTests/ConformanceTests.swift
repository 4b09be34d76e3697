import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkTesting

@Suite struct `The contract of a remote` {
    @Test(arguments: RemoteConformance.checks)
    func `is kept over HTTP`(check: RemoteConformance.Check) async throws {
        let server = try LiveServer()
        try await check.run { try HTTPRemote(url: server.url) }
    }

    @Test(arguments: RemoteConformance.checks)
    func `is kept over HTTP with small bodies packed, and a token`(check: RemoteConformance.Check) async throws {
        let server = try LiveServer(tokens: ["token-1", "token-2"])
        try await check.run {
            try HTTPRemote(url: server.url + "/", token: "token-2", options: HTTPRemote.Options(packedFrom: 1))
        }
    }

    @Test(arguments: RemoteConformance.checks)
    func `is kept in one process`(check: RemoteConformance.Check) async throws {
        try await check.run { InProcessRemote(try InProcessServer()) }
    }
}
