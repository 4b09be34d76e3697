import CoreSupport
import PostgresForTests
import Testing
import TidemarkAdapters
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting

extension RowRemote: KeyedServer where Server == KeyedTables {
    var keyRefusals: [String] { self.server.keyRefusals }

    func refuse(_ names: Set<String>) throws { try self.server.refuse(names) }

    func loseAnswers(_ loses: Bool) { self.server.loseAnswers(loses) }
}

@Suite(.enabled(if: PostgresForTests.isInstalled, "\(PostgresForTests.whyNot)"))
struct `Foreign keys of PostgreSQL` {
    /// Without two checks: the tables are fixed, and a text of PostgreSQL has no U+0000.
    private static let checks = RemoteConformance.checks(
        for: .rows(condition: .atomic, feed: .ordered, tombstones: .forever)
    ).filter { !$0.name.contains("any name") && !$0.name.contains("any text") }

    private let tables: KeyedTables

    init() throws { self.tables = try KeyedTables() }

    /// A client with an empty store, and batches of a size.
    private func client(
        references: [String: [String: String]] = KeyedTables.references, batchSize: Int = 100
    ) throws -> SyncClient {
        var configuration = SyncConfiguration()
        for (name, members) in references { configuration[name].references = members }
        configuration.limits.batchSize = batchSize
        return try SyncClient(
            store: MemoryStore(), remote: RowRemote(self.tables), configuration: configuration,
            collections: ["lists", "tags", "todos"], time: ManualClock(), seed: 1)
    }

    /// Creates three levels of lists, with two todos in each of the last ones and two tags, each record before those that it names.
    private func createTree(on client: SyncClient) async throws {
        let leaves = ["aa", "ab", "ba", "bb"]
        for leaf in leaves {
            for number in 1...2 {
                try await client["todos"].create(["list": JSON(leaf), "tags": ["x", "y"]], pk: "\(leaf)\(number)")
            }
        }
        for tag in ["x", "y"] { try await client["tags"].create([:], pk: tag) }
        for leaf in leaves { try await client["lists"].create(["parent": JSON(String(leaf.prefix(1)))], pk: leaf) }
        for list in ["a", "b"] { try await client["lists"].create(["parent": "root"], pk: list) }
        try await client["lists"].create([:], pk: "root")
    }

    @Test(arguments: Self.checks)
    func `the backend passes the checks of its capabilities`(check: RemoteConformance.Check) async throws {
        try await check.run { RowRemote(self.tables) }
    }

    @Test(arguments: [1, 3, 100])
    func `a tree that was created children first is accepted in one sync (R26)`(batchSize: Int) async throws {
        let client = try self.client(batchSize: batchSize)
        try await self.createTree(on: client)
        #expect(try await client.sync().outcome == .inSync)
        #expect(self.tables.keyRefusals.isEmpty)
        #expect(try self.tables.pks(in: "lists") == ["a", "aa", "ab", "b", "ba", "bb", "root"])
        #expect(try self.tables.pks(in: "todos").count == 8)
        #expect(try self.tables.pks(in: "tags") == ["x", "y"])
    }

    @Test(arguments: [1, 3, 100])
    func `a tree that was deleted parents first is deleted in one sync (R27)`(batchSize: Int) async throws {
        let client = try self.client(batchSize: batchSize)
        try await self.createTree(on: client)
        _ = try await client.sync()
        for list in ["root", "a", "b", "aa", "ab", "ba", "bb"] { try await client["lists"][list].delete() }
        for tag in ["x", "y"] { try await client["tags"][tag].delete() }
        for todo in try await client["todos"].list() { try await client["todos"][todo.pk].delete() }
        #expect(try await client.sync().outcome == .inSync)
        #expect(self.tables.keyRefusals.isEmpty)
        for table in ["lists", "tags", "todos"] { #expect(try self.tables.pks(in: table).isEmpty) }
        #expect(try self.tables.pks(in: "tombstones").count == 17)
    }

    @Test func `without declared references, a key refuses the child that is sent before its parent`() async throws {
        let client = try self.client(references: [:])
        try await self.createTree(on: client)
        #expect(try await client.sync().outcome == .held)
        #expect(self.tables.keyRefusals.count { $0 == "lists/aa" } == 1, "\(self.tables.keyRefusals)")
        let why = try await client["lists"]["aa"].explain().why
        let sentence = #"insert or update on table "lists" violates foreign key constraint "lists_parent_fkey""#
        #expect(why.contains(sentence), "\(why)")
    }

    @Test func `without declared references, a key refuses the delete of a parent before its child`() async throws {
        let client = try self.client(references: [:])
        try await client["lists"].create([:], pk: "1")
        try await client["todos"].create(["list": "1"], pk: "a")
        #expect(try await client.sync().outcome == .inSync)
        try await client["lists"]["1"].delete()
        try await client["todos"]["a"].delete()
        #expect(try await client.sync().outcome == .held)
        #expect(self.tables.keyRefusals == ["-lists/1"])
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `a random run of one client meets no refusal by a key, and ends in sync`(seed: UInt64) async throws {
        var run = try ReferenceRun(
            seed: seed, server: RowRemote(self.tables), references: KeyedTables.references, clock: ManualClock())
        try await run.run(60)
        let report = try await run.finish()
        #expect(run.foreseeable.isEmpty, "\(run.foreseeable)\n\(run.steps.joined(separator: "\n"))")
        #expect(report.outcome == .inSync, "\(run.steps.joined(separator: "\n"))")
        for name in report.collections.map(\.collection) {
            let records = try await run.client[name].list()
            #expect(records.map(\.pk).sorted() == (try self.tables.pks(in: name)))
        }
    }

    @Test(arguments: [1, 2, 4, 7, 8, 10] as [UInt64])
    func `the same run without declared references meets a refusal by a key`(seed: UInt64) async throws {
        var run = try ReferenceRun(
            seed: seed, server: RowRemote(self.tables), references: KeyedTables.references, declares: false,
            clock: ManualClock())
        for _ in 0..<60 { try await run.step() }
        _ = try await run.finish()
        #expect(!self.tables.keyRefusals.isEmpty)
    }
}
