import CoreSupport
import Testing
import TidemarkCore
import TidemarkTesting

@Suite("Random runs against a server with foreign keys (R26, R27)") struct ReferenceRunTests {
    /// Each collection names records of each.
    private static let references = Dictionary(
        uniqueKeysWithValues: ["a", "b", "c"].map { ($0, ["/a/*": "a", "/b/*": "b", "/c/*": "c"]) })

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `a client that is alone meets no refusal by a key, and sends everything`(_ seed: UInt64) async throws {
        let server = try KeyServer(Self.references)
        var run = try ReferenceRun(
            seed: seed, server: server, references: Self.references, clock: server.clock)
        try await run.run(60)
        let report = try await run.finish()
        #expect(run.foreseeable.isEmpty, "\(run.steps.joined(separator: "\n"))\n\(server.posts)")
        #expect(report.outcome == .inSync, "\(run.steps.joined(separator: "\n"))\n\(server.posts)")
    }
}
