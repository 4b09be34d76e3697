import TidemarkCore
import TidemarkTesting
import Testing

/// The reference server behind a remote that shows a row which no client made, with a pk.
private struct OfficeRow: Remote {
    let server: InProcessRemote
    let pk: String
    let capabilities = RemoteCapabilities.native

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        var answer = try await self.server.exchange(request)
        answer.page = FeedPage([.init(pk: self.pk, version: "1", data: "{}")])
        return answer
    }
}

@Suite struct `Conformance of rows that no client made (Contract §3.5)` {
    @Test(arguments: [#""""#, "7"])
    func `a row without a valid pk fails each check that reads it`(pk: String) async throws {
        let check = try #require(
            RemoteConformance.checks(for: .native).first { $0.name.contains("a row in the feed equals") })
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await check.run { OfficeRow(server: InProcessRemote(try InProcessServer()), pk: pk) }
        }
        #expect(failure?.subject == "the pk of the row with the version 1")
        #expect(failure?.found == pk)
    }
}
