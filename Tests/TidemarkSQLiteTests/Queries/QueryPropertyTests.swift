import Foundation
import TestSupport
import TidemarkCore
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting
import Testing

@Suite struct QueryPropertyTests {
    /// How many queries about the same records.
    private static let queries = 10

    /// QUERIES=10000 is the number for `make proof`.
    private static let seeds = (ProcessInfo.processInfo.environment["QUERIES"].flatMap(Int.init) ?? 400) / Self.queries

    @Test(arguments: 0..<Self.seeds)
    func `Pages and counts of any query are those of a naive one, with and without indexes`(seed: Int) async throws {
        var random = QueryDice(seed: UInt64(seed))
        let server = try InProcessServer()
        var one = QueryCase(&random)
        one.indexes = QueryCase.indexes(&random)
        let memory = try await one.client(MemoryStore(), server)
        let sqlite = try await one.client(try SQLiteStore.sqliteInMemory(), server)
        for _ in 0..<Self.queries {
            one.redraw(&random)
            for collection in [memory["c"], sqlite["c"]] where try await one.fault(collection) != nil {
                let small = try await one.shrunk(server)
                Issue.record("\(try await small.fault(server) ?? "no fault with new stores")\n\(small)")
                return
            }
        }
    }
}
