import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

/// Indexes and projections of one collection: they share their status and the code that builds them, and fail differently.
@Suite struct `Indexes beside projections` {
    private let folder: TemporaryFolder
    private struct Stop: Error {}

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func open(_ projections: [any Projection]?) throws -> SQLiteStore {
        let store = try self.folder.store(projections: projections)
        let rules = RecordIndexes(try IndexKeys([["/n"]], of: "c"), members: RecordMembers())
        try store.commit { (store) throws(TidemarkError) in try store.declare(rules, in: "c") }
        return store
    }

    private func pull(_ numbers: Range<Int>, into store: SQLiteStore, version: Int = 1) throws {
        let items = numbers.map {
            FeedPage.Item(pk: "\"\($0)\"", version: "\(version)", data: #"{"n":\#($0 * version)}"#)
        }
        try store.commit { (store) throws(TidemarkError) in
            _ = try store.refresh(FeedPage(items), in: "c", resyncGeneration: 0)
        }
    }

    private func build(_ store: SQLiteStore, limit: Int = 100) throws -> Bool {
        try store.transaction { () throws(TidemarkError) in try store.buildIndexes(in: "c", limit: limit) }
    }

    private func pks(_ store: SQLiteStore) throws -> [String] {
        try store.entries(
            of: ["/n"], in: "c", range: KeyRange(from: [], upTo: nil), beyond: nil, isBackward: false, limit: 99
        ).records.map(\.pk)
    }

    @Test func `a projection that throws within a page leaves the page and the index right`() throws {
        let trap: @Sendable (String, ProjectionTables) throws -> Void = { pk, _ in if pk == "4" { throw Stop() } }
        let store = try self.open([Copies(trap: trap)])
        try self.pull(0..<3, into: store)
        while try self.build(store) {}
        #expect(try Copies.faults(in: store).isEmpty)
        try self.pull(1..<7, into: store, version: 2)
        #expect(try store.pks() == (0..<7).map { "\($0)" })
        #expect(try store.indexFaults(in: "c", limit: 9).isEmpty)
        #expect(try store.completeIndexes(in: "c") == [["/n"]])
        #expect(try self.pks(store) == ["0", "1", "2", "3", "4", "5", "6"])
        let error = #expect(throws: TidemarkError.self) { try store.readTables { _ in } }
        #expect(error?.code == .projectionIncomplete)
        #expect(try !store.isIncomplete("c"), "neither is built again by this program")
    }

    @Test func `a projection that throws while it is built leaves the index complete`() throws {
        let store = try self.open([Copies(trap: { _, _ in throw Stop() })])
        try self.pull(0..<5, into: store)
        while try self.build(store, limit: 2) {}
        #expect(try self.pks(store) == ["0", "1", "2", "3", "4"])
        #expect(try store.indexFaults(in: "c", limit: 9).isEmpty)
        #expect(throws: TidemarkError.self) { try store.readTables { _ in } }
    }

    @Test func `indexes are built before projections, and both to the end`() throws {
        let store = try self.open([Copies()])
        try self.pull(0..<5, into: store)
        #expect(try store.isIncomplete("c"))
        #expect(try self.build(store, limit: 3))
        #expect(try store.completeIndexes(in: "c").isEmpty)
        #expect(try self.build(store, limit: 3))
        #expect(try store.completeIndexes(in: "c") == [["/n"]])
        #expect(try Copies.faults(in: store).isEmpty, "no row is in it")
        #expect(try self.build(store, limit: 3))
        #expect(try !self.build(store, limit: 3))
        #expect(try !store.isIncomplete("c"))
        #expect(try Copies.faults(in: store).isEmpty)
        #expect(try store.readTables { tables in try tables.rows("SELECT count(*) FROM app_copies") } == [[5]])
    }

    @Test func `a program that knows neither leaves a debt in each`() throws {
        let first = try self.open([Copies()])
        try self.pull(0..<5, into: first)
        while try self.build(first) {}
        first.close()
        let stranger = try self.folder.store()
        try stranger.commit { (store) throws(TidemarkError) in try store.save(edited("9"), in: "c") }
        #expect(try stranger.storedIndexes(in: "c") == [["/n"]])
        #expect(try stranger.completeIndexes(in: "c").isEmpty)
        #expect(try stranger.database.integer("SELECT count(*) FROM debt WHERE pk = '9'") == 2)
        stranger.close()
        let next = try self.open([Copies()])
        #expect(try !next.isIncomplete("c"))
        #expect(try next.completeIndexes(in: "c") == [["/n"]])
        #expect(try next.indexFaults(in: "c", limit: 9).isEmpty && Copies.faults(in: next).isEmpty)
    }

    @Test func `a declaration that is rolled back builds neither of the file`() throws {
        let first = try self.open([Copies()])
        try self.pull(0..<5, into: first)
        first.close()
        // Another index, and other members, so that the views of the projection differ, too.
        let store = try self.folder.store(projections: [Copies()])
        let rules = RecordIndexes(
            try IndexKeys([["/m"]], of: "c"), members: RecordMembers(server: [try JSONPointer(parsing: "/n")]))
        #expect(throws: TidemarkError.self) {
            try store.commit { (store) throws(TidemarkError) in
                try store.declare(rules, in: "c")
                throw TidemarkError(.storeFull, "There is no room.")
            }
        }
        #expect(try !store.isIncomplete("c"))
        #expect(try !self.build(store))
        store.close()
        let next = try self.open([Copies()])
        #expect(try next.completeIndexes(in: "c").isEmpty && next.isIncomplete("c"))
        while try self.build(next) {}
        #expect(try self.pks(next) == ["0", "1", "2", "3", "4"])
        #expect(try next.indexFaults(in: "c", limit: 9).isEmpty && Copies.faults(in: next).isEmpty)
    }

    @Test(arguments: ["index", "projection"])
    func `the file allows a failure of a projection only`(kind: String) throws {
        let store = try self.open([Copies()])
        try self.pull(0..<1, into: store)
        let failing = "UPDATE derived SET failure = 'x' WHERE kind = '\(kind)'"
        if kind == "index" {
            #expect(throws: DatabaseError.self) { try store.database.execute(failing) }
        } else {
            try store.database.execute(failing)
        }
    }

    @Test func `an erased collection has empty tables, and a projection of another collection has its rows`() throws {
        let store = try self.open([Copies(), Copies(name: "others", collection: "d")])
        try self.pull(0..<5, into: store)
        while try self.build(store) {}
        try store.commit { (store) throws(TidemarkError) in
            try store.declare(RecordIndexes(try IndexKeys([], of: "d"), members: RecordMembers()), in: "d")
            try store.save(`Tables of the app`.record("1", "{}"), in: "d")
            try store.erase(collection: "c")
        }
        #expect(try store.readTables { tables in try tables.rows("SELECT count(*) FROM app_copies") } == [[0]])
        #expect(try Copies.faults(in: store, name: "others", collection: "d").isEmpty)
        #expect(try self.pks(store).isEmpty)
    }
}
