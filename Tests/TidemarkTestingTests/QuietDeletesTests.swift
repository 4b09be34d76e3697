import TidemarkCore
import TidemarkTesting
import Testing

/// The reference server behind a remote whose answers to deletes have no item.
private struct QuietDeletes: Remote {
    let server: InProcessRemote
    let capabilities = RemoteCapabilities.native

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        var answer = try await self.server.exchange(request)
        let deletes = Set(request.uploads.filter { $0.intent == .delete }.map(\.requestID))
        for (place, result) in answer.results.enumerated() where deletes.contains(result.requestID) {
            if case .accepted = result.outcome { answer.results[place].outcome = .accepted(StoredVersion()) }
        }
        return answer
    }
}

@Suite struct `Conformance of answers without an item (W7)` {
    static let checks = RemoteConformance.checks(for: .native)

    @Test(.serialized, arguments: Self.checks)
    func `a server that answers a delete with null passes the checks (W7)`(check: RemoteConformance.Check) async throws
    {
        try await check.run { QuietDeletes(server: InProcessRemote(try InProcessServer())) }
    }
}
