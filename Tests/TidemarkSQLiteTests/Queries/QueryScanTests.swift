import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting
import Testing

/// Queries that read records in several steps.
@Suite struct QueryScanTests {
    private static let long = String(repeating: "x", count: 513)

    private func collection(_ contents: [String], _ indexes: [RecordIndex]) async throws -> SyncCollection {
        var one = QueryCase()
        one.rows = contents.enumerated().map { QueryCase.Row(pk: "\($0)", phase: .synced, data: $1) }
        one.indexes = indexes
        return try await one.client(try SQLiteStore.sqliteInMemory(), try InProcessServer())["c"]
    }

    private func save(_ pk: String, _ a: Double, in store: SQLiteStore) throws {
        let data = Array(#"{"a":\#(a)}"#.utf8)
        let record = StoredRecord(pk: pk, phase: .synced, confirmed: StoredVersion(version: "1", data: data))
        try store.commit { (store) throws(TidemarkError) in try store.save(record, in: "c") }
    }

    @Test func `members whose names differ in normalization only are two members`() async throws {
        let contents = ["{\"\u{E9}\":1}", "{\"e\u{301}\":1}"]
        for index: RecordIndex in [["/\u{E9}"], ["/e\u{301}"]] {
            let collection = try await self.collection(contents, [index])
            for (number, path) in ["/\u{E9}", "/e\u{301}"].enumerated() {
                let query = RecordQuery(where: JSONField<Int>(path) == 1)
                #expect(try await collection.page(query).records.map(\.pk) == ["\(number)"], "\(index) \(path)")
                #expect(try await collection.count(query) == 1)
            }
        }
        _ = try await self.collection(contents, [["/\u{E9}"], ["/e\u{301}"]])
        _ = try await self.collection(contents, [["/\u{E9}", "/e\u{301}"]])
    }
}
