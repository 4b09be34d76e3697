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

    private func collection(_ contents: [String], _ indexes: [RecordIndex]) async throws -> SyncCollection<JSON> {
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

    /// A live list, or a view that is drawn by pk, can't show a record twice.
    @Test(arguments: [[], [.ascending("/a")], [.descending("/b"), .ascending("/c")]] as [[RecordQuery.Order]])
    func `a record that moves while a page is read is in the page once`(_ order: [RecordQuery.Order]) throws {
        let store = try SQLiteStore.sqliteInMemory()
        for number in 0..<700 { try self.save("\(number)", Double(number), in: store) }
        var configuration = SyncConfiguration()
        configuration["c"].indexes = [["/a"]]
        let engine = try SyncEngine(store: store, configuration: configuration, seed: 1)
        #expect(try !engine.buildIndexes(of: "c"))
        let query = RecordQuery(where: JSONField<JSON>("/a") >= -1, order: order)
        let (checked, plan) = try engine.plan(query, in: "c")
        #expect(plan.source != .all)
        // 500 records a step.
        var scan = QueryScan(checked, plan, after: nil, limit: 900)
        try engine.step(&scan, in: "c")
        try self.save("3", 650.5, in: store)
        for _ in 0..<3 { try engine.step(&scan, in: "c") }
        #expect(scan.page.count == 700)
        #expect(Set(scan.page.map(\.record.pk)).count == 700)
    }

    /// A device without network may stay in such a resync for days.
    @Test func `an app completes an index that the end of an unfinished full resync would complete`() async throws {
        let store = try SQLiteStore.sqliteInMemory()
        try self.save("1", 1, in: store)
        try store.commit { (store) throws(TidemarkError) in
            let resync = CollectionState.Resync(.historyLost, isRunning: true)
            try store.save(CollectionState(cursor: "w", resync: resync, resyncGeneration: 2), of: "c")
        }
        let server = try InProcessServer()
        let network = PausedNetwork(InProcessRemote(server))
        var configuration = SyncConfiguration()
        configuration["c"].indexes = [["/a"]]
        let client = try SyncClient(
            store: store, remote: network, configuration: configuration, time: server.clock, seed: 1)
        let query = RecordQuery(where: JSONField<JSON>("/a") >= 0)
        async let report = client.sync(["c"])
        try await network.next().answer(with: .failure(RemoteFailure(.offline, "no network")))
        _ = try await report
        #expect(try await client["c"].plan(query).index == nil)
        try await client["c"].buildIndexes()
        #expect(try await client["c"].plan(query).index == ["/a"])
        #expect(try await client["c"].page(query).records.map(\.pk) == ["1"])
    }

    @Test func `a suggested index has as many paths as the client's limits allow`() async throws {
        let paths = ["/a", "/b", "/c", "/d", "/e"]
        let query = RecordQuery(order: paths.map { .ascending($0) })
        for count in [2, 5] {
            var configuration = SyncConfiguration()
            configuration.limits.queries.paths = count
            let server = try InProcessServer()
            let client = try SyncClient(
                store: try SQLiteStore.sqliteInMemory(), remote: InProcessRemote(server), configuration: configuration,
                time: server.clock, seed: 1)
            #expect(try await client["c"].plan(query).suggestedIndex == RecordIndex(Array(paths.prefix(count))))
        }
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

    @Test func `a record with many elements is read once`() async throws {
        let tags = (0..<300).map { "\"tag\($0)\"" }.joined(separator: ",")
        let collection = try await self.collection([#"{"tags":[\#(tags)]}"#, #"{"tags":["tag5"]}"#], [["/tags/*"]])
        let query = RecordQuery(where: JSONField<String>("/tags/*") >= "tag2")
        let page = try await collection.page(query)
        #expect(page.records.map(\.pk) == ["0", "1"])
        #expect(page.examined == 2)
        #expect(try await collection.count(query) == 2)
    }

    @Test func `the first records of a sorted scan are kept in any order of the candidates`() async throws {
        for step in [1, -1, 7] {
            let contents = (0..<600).map { #"{"a":\#((600 + $0 * step) % 600)}"# }
            let collection = try await self.collection(contents, [])
            for limit in [1, 2, 100, 599, 600] {
                let page = try await collection.page(RecordQuery(order: [.ascending("/a")]), limit: limit)
                #expect(page.records.map { $0.value["a"]?.int } == (0..<limit).map { $0 })
                #expect((page.next != nil) == (limit < 600))
            }
        }
    }

    @Test(arguments: 0..<6)
    func `pages of many steps are the same with and without indexes`(_ seed: Int) async throws {
        var random = QueryDice(seed: UInt64(seed))
        func value(_ random: inout QueryDice) -> String {
            random.pick("0", "1", "2", "-1", "null", #""x""#, #""xy""#, "[1]", "true", #""\#(Self.long)""#)
        }
        let contents = (0..<1_300).map { _ in
            let tags = (0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random) }.joined(separator: ",")
            let a = random.oneIn(9) ? "" : #""a":\#(value(&random)),"#
            return #"{\#(a)"b":\#(value(&random)),"tags":[\#(tags)]}"#
        }
        let plain = try await self.collection(contents, [])
        let (a, b, tag) = (JSONField<JSON>("/a"), JSONField<JSON>("/b"), JSONField<JSON>("/tags/*"))
        let conditions: [RecordQuery.Condition] = [
            .all, a == 1, a >= 1, a < 2, a.isIn([1, 2, "x", [1]]), tag == "x", tag >= 0, tag.isIn([0, 1, "x", "xy"]),
            a == 1 && tag == "x", tag >= 0 && b < 2, a.isIn([1, 2]) && b == 1, tag.isIn([1, 2]) && a == 1,
            a.startsWith("x"), tag.startsWith("x") && a >= 0, a == 1 && b >= 0,
        ]
        let paths = ["/a", "/b", "/x"]
        let pool: [RecordIndex] = [
            ["/a"], ["/a", "/b"], ["/b", "/a"], ["/tags/*"], ["/tags/*", "/a"], ["/a", "/tags/*"], ["/b"],
            ["/b", "/tags/*", "/a"],
        ]
        let indexed = try await self.collection(contents, Array(pool.shuffled(using: &random).prefix(3)))
        for _ in 0..<4 {
            let condition = conditions.randomElement(using: &random) ?? .all
            let order = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                let path = paths.randomElement(using: &random) ?? "/a"
                return random.oneIn(2) ? RecordQuery.Order.ascending(path) : .descending(path)
            }
            let query = RecordQuery(where: condition, order: order)
            let limit = random.oneIn(2) ? 1_000 : 270
            var results: [[String]] = []
            for collection in [plain, indexed] {
                var pks: [String] = []
                var next: RecordQuery.Cursor?
                repeat {
                    let page = try await collection.page(query, limit: limit, after: next)
                    pks += page.records.map(\.pk)
                    next = page.next
                } while next != nil && pks.count < 3_000
                results.append(pks)
                #expect(try await collection.count(query) == pks.count)
            }
            let plan = try await indexed.plan(query)
            #expect(results[0] == results[1], "\(plan) \(query)")
        }
    }
}
