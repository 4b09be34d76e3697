import Synchronization
import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite struct `Tables of the app` {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    // MARK: - Tables and records

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `the tables equal the rows after each transaction`(seed: UInt64) throws {
        var day = try IndexDay(self.folder, seed: seed, projections: [Copies()])
        for step in 1...120 {
            let action = try day.act()
            let faults = try Copies.faults(in: day.store)
            try #require(faults.isEmpty || action == .eraseAll, "step \(step), \(action): \(faults)")
            if action == .eraseAll { try day.reopen() }
        }
        try day.save()
        try day.buildAll()
        #expect(try Copies.faults(in: day.store).isEmpty)
        _ = try day.store.readTables { tables in try tables.rows("SELECT * FROM app_copies") }
    }

    @Test func `a search follows edits, deletes, pulls, conflicts, discards and a full resync`() throws {
        var configuration = SyncConfiguration()
        configuration["notes"].tactic = .takeServer
        let scenario = try SyncScenario(devices: ["tablet"], configuration: configuration)
        let phone = try ProjectedPhone(
            try self.folder.store(projections: [TitleSearch()]), scenario.remote, configuration)
        try phone.create(["title": "Oat milk"], pk: "1")
        try phone.create(["title": "Bread and milk"], pk: "2")
        #expect(try phone.find("milk") == ["1 Oat milk", "2 Bread and milk"])
        try phone.edit("1") { $0.title = "Oat flakes" }
        #expect(try phone.find("milk") == ["2 Bread and milk"])
        try phone.sync()
        #expect(try phone.find("flakes") == ["1 Oat flakes"])
        try phone.delete("2")
        #expect(try phone.find("milk") == [])
        try phone.undoDelete(of: "2")
        #expect(try phone.find("milk") == ["2 Bread and milk"])
        // A pull of another device's create, edit and delete.
        try scenario.sync(scenario.phone)
        try scenario.phone.create(["title": "Rice milk"], pk: "3")
        try scenario.phone.edit("1") { $0.title = "Milk" }
        try scenario.phone.delete("2")
        try scenario.sync(scenario.phone)
        try phone.sync()
        #expect(try phone.find("milk") == ["1 Milk", "3 Rice milk"])
        // A conflict that the server wins.
        try scenario.phone.edit("3") { $0.title = "Soy milk" }
        try scenario.sync(scenario.phone)
        try phone.edit("3") { $0.title = "Almond milk" }
        #expect(try phone.find("almond") == ["3 Almond milk"])
        try phone.sync()
        #expect(try phone.find("milk") == ["1 Milk", "3 Soy milk"])
        // A discarded edit.
        try phone.edit("3") { $0.title = "Water" }
        #expect(try phone.find("milk") == ["1 Milk"])
        try phone.resign("3")
        #expect(try phone.find("milk") == ["1 Milk", "3 Soy milk"])
        // A full resync finds a record and misses one.
        try scenario.phone.delete("1")
        try scenario.phone.create(["title": "Goat milk"], pk: "4")
        try scenario.sync(scenario.phone)
        scenario.server.clock.advance(by: .seconds(90 * 86_400))
        _ = try scenario.server.purge(olderThan: .seconds(86_400))
        try phone.sync()
        #expect(try phone.find("milk") == ["3 Soy milk", "4 Goat milk"])
        #expect(try phone.resyncCount == 1)
        // After an opening, the first use of the table is a read.
        phone.close()
        let next = try ProjectedPhone(
            try self.folder.store(projections: [TitleSearch()]), scenario.remote, configuration)
        #expect(try next.find("milk") == ["3 Soy milk", "4 Goat milk"])
        try next.edit("3") { $0.title = "Soy sauce" }
        #expect(try next.find("milk") == ["4 Goat milk"])
    }

    @Test func `a record is written again only if the app's view changed`() throws {
        let (store, log) = try self.logged()
        try store.commit { (store) throws(TidemarkError) in
            try store.save(Self.record("1", #"{"n":1}"#), in: "c")
            try store.save(Self.record("1", #"{"n":1}"#, version: "2"), in: "c")
            try store.save(Self.record("1", #"{"n":1.0}"#, version: "3"), in: "c")
            _ = try store.refresh(Self.page([1], #"{"n":1.0}"#, version: 4), in: "c", resyncGeneration: 0)
            try store.erase("1", in: "c")
            try store.erase("1", in: "c")
        }
        #expect(log.pks == ["1", "1", "1"])
        #expect(try Copies.faults(in: store).isEmpty)
    }

    // MARK: - Building

    @Test func `the first page of a collection leaves its rows to be added in slices`() throws {
        let (store, log) = try self.logged()
        _ = try store.readTables { tables in try tables.rows("SELECT 1 FROM app_copies") }
        try self.pull(0..<10, into: store)
        #expect(log.pks.isEmpty)
        #expect(self.code { _ = try store.readTables { _ in } } == .projectionIncomplete)
        #expect(try self.build(store, limit: 4))
        #expect(log.pks.count == 4)
        // The first four rows are kept from here on, later ones are left to the builder.
        try self.pull(2..<6, into: store, version: 2)
        #expect(log.pks.count == 6)
        #expect(try Copies.faults(in: store).isEmpty)
        #expect(try self.build(store, limit: 4))
        #expect(try !self.build(store, limit: 4))
        #expect(log.pks.count == 12)
        #expect(try store.readTables { tables in try tables.rows("SELECT count(*) FROM app_copies") } == [[10]])
        #expect(try Copies.faults(in: store).isEmpty)
    }

    @Test func `a transaction that fails leaves the building where it was`() throws {
        let (store, _) = try self.logged()
        try self.pull(0..<10, into: store)
        #expect(try self.build(store, limit: 4))
        #expect(throws: TidemarkError.self) {
            try store.transaction { () throws(TidemarkError) in
                _ = try store.buildIndexes(in: "c", limit: 100)
                throw TidemarkError(.cancelled, "stopped by the test")
            }
        }
        #expect(try store.isIncomplete("c"))
        #expect(try self.build(store, limit: 4))
        #expect(try Copies.faults(in: store).isEmpty)
    }

    @Test func `another version is built again in slices`() throws {
        let first = try self.store([Copies()])
        try self.pull(0..<10, into: first)
        while try self.build(first, limit: 100) {}
        first.close()
        let same = try self.store([Copies()])
        #expect(try self.count(same) == 10)
        #expect(try !same.isIncomplete("c"))
        same.close()
        let index = "CREATE INDEX app_copies_by_content ON app_copies (content)"
        let second = try self.store([Copies(version: 2, more: [index])])
        #expect(try self.count(second) == 0)
        let error = #expect(throws: TidemarkError.self) { try second.readTables { _ in } }
        #expect(error?.message.contains("not complete yet") == true)
        #expect(try self.build(second, limit: 6))
        #expect(try self.count(second) == 6)
        second.close()
        // The building continues where it was.
        let third = try self.store([Copies(version: 2)])
        #expect(try !self.build(third, limit: 6))
        #expect(try self.count(third) == 10)
        #expect(try Copies.faults(in: third).isEmpty)
    }

    @Test func `a client builds the tables with its sync, and reads them on its executor`() async throws {
        let server = try InProcessServer()
        let remote = InProcessRemote(server)
        let writer = try SyncClient(
            store: MemoryStore(), remote: remote, configuration: SyncConfiguration(), time: server.clock, seed: 1)
        for number in 0..<30 { try await writer["notes"].create(["title": JSON("Milk \(number)")], pk: "\(number)") }
        _ = try await writer.sync()
        let client = try SyncClient(
            store: try self.folder.store(projections: [TitleSearch()]), remote: remote,
            configuration: SyncConfiguration(), time: server.clock, seed: 2)
        let fresh = try await client.readTables { tables in try tables.rows(TitleSearch.finding, "milk") }
        #expect(fresh.isEmpty)
        _ = try await client.sync(["notes"])
        let found = try await client.readTables(of: "search") { tables in try tables.rows(TitleSearch.finding, "milk") }
        #expect(found.count == 30)
        let unknown = await #expect(throws: TidemarkError.self) { try await client.readTables(of: "other") { _ in } }
        #expect(unknown?.code == .projectionIncomplete)
        let none = await #expect(throws: TidemarkError.self) { try await writer.readTables { _ in } }
        #expect(none?.code == .projectionIncomplete)
        await client.close()
        let closed = await #expect(throws: TidemarkError.self) { try await client.readTables { _ in } }
        #expect(closed?.code == .clientClosed)
    }

    // MARK: - Errors of the app

    @Test func `an error of the app stops no record, and the tables are built at the next opening`() throws {
        let trap: @Sendable (String, ProjectionTables) throws -> Void = { pk, tables in
            if pk == "3" { try tables.run("INSERT INTO app_missing VALUES (1)") }
        }
        let store = try self.store([Copies(trap: trap), Copies(name: "others")])
        try store.commit { (store) throws(TidemarkError) in
            for number in 1...5 { try store.save(Self.record("\(number)", "{}"), in: "c") }
        }
        #expect(try store.pks() == ["1", "2", "3", "4", "5"])
        let error = #expect(throws: TidemarkError.self) { try store.readTables { _ in } }
        #expect(error?.code == .projectionIncomplete)
        #expect(error?.message.contains("no such table: app_missing") == true)
        #expect(try store.readTables(of: "others") { tables in try tables.rows("SELECT * FROM app_others") }.count == 5)
        // The projection is not tried again while the store is open.
        try self.declare(store)
        #expect(try !store.isIncomplete("c"))
        store.close()
        let next = try self.store([Copies(), Copies(name: "others")])
        #expect(try next.isIncomplete("c"))
        while try self.build(next, limit: 2) {}
        #expect(try Copies.faults(in: next).isEmpty)
        #expect(try Copies.faults(in: next, name: "others").isEmpty)
    }

    @Test func `an error while tables are set up or built is reported`() throws {
        let store = try self.store([Copies(more: ["CREATE TABLE app_copies (a)"])])
        let error = #expect(throws: TidemarkError.self) { try store.readTables { _ in } }
        #expect(error?.message.contains("already exists") == true)
        try store.commit { (store) throws(TidemarkError) in try store.save(Self.record("1", "{}"), in: "c") }
        #expect(try store.pks() == ["1"])
        store.close()
        struct Stop: Error {}
        let second = try self.store([Copies(trap: { _, _ in throw Stop() })])
        #expect(try !self.build(second, limit: 9))
        #expect(throws: TidemarkError.self) { try second.readTables { _ in } }
        second.close()
        let third = try self.store([Copies()])
        #expect(try !self.build(third, limit: 9))
        #expect(try Copies.faults(in: third).isEmpty)
    }

    // MARK: - The projections of a store

    @Test(arguments: [["Search"], [""], ["a b"], ["a", "a"], ["a", "a_b"], ["é"]])
    func `names that could mix up tables are refused`(names: [String]) throws {
        #expect(self.code { _ = try self.folder.store(projections: names.map { Copies(name: $0) }) } == .invalidName)
    }

    @Test func `a program without the projection that only reads leaves its tables complete`() throws {
        let first = try self.filled()
        first.close()
        let tool = try self.folder.store()
        try self.declare(tool)
        #expect(try tool.pks().count == 5)
        tool.close()
        let next = try self.store([Copies()])
        #expect(try !next.isIncomplete("c"))
        #expect(try Copies.faults(in: next).isEmpty)
    }

    @Test(arguments: ["save", "erase", "page"])
    func `a write of a program without the projection is added at the next opening`(write: String) throws {
        let first = try self.filled()
        first.close()
        let tool = try self.folder.store()
        try self.declare(tool)
        if write == "page" { try self.pull(0..<1, into: tool, version: 7) }
        try tool.commit { (store) throws(TidemarkError) in
            if write == "save" { try store.save(Self.record("0", #"{"n":"new"}"#), in: "c") }
            if write == "erase" { try store.erase("0", in: "c") }
            // A write to another collection does not concern it.
            try store.save(Self.record("0", "{}"), in: "d")
        }
        tool.close()
        let next = try self.store([Copies()])
        #expect(try !next.isIncomplete("c"))
        #expect(try Copies.faults(in: next).isEmpty)
        _ = try next.readTables { tables in try tables.rows("SELECT * FROM app_copies") }
    }

    @Test func `a write to another collection leaves the tables complete`() throws {
        let first = try self.filled()
        first.close()
        let tool = try self.folder.store()
        try tool.commit { (store) throws(TidemarkError) in try store.save(Self.record("0", "{}"), in: "d") }
        tool.close()
        #expect(try !self.store([Copies()]).isIncomplete("c"))
    }

    @Test func `the tables of a removed projection are dropped`() throws {
        let first = try self.store([Copies(), TitleSearch()])
        first.close()
        let second = try self.store([Copies()])
        #expect(try self.tables(second) == ["app_copies"])
        second.close()
        let third = try self.store([])
        #expect(try self.tables(third) == [])
        #expect(try third.database.integer("SELECT count(*) FROM derived") == 0)
    }

    @Test func `an erased collection has empty tables, and an erased store has none`() throws {
        let store = try self.filled()
        try store.commit { (store) throws(TidemarkError) in try store.erase(collection: "c") }
        #expect(try self.count(store) == 0)
        try store.commit { (store) throws(TidemarkError) in try store.save(Self.record("1", "{}"), in: "c") }
        #expect(try Copies.faults(in: store).isEmpty)
        #expect(try self.count(store) == 1)
        try store.commit { (store) throws(TidemarkError) in try store.eraseAll() }
        #expect(try self.tables(store) == [])
    }

    @Test func `the tables are made again for other members of the server`() throws {
        let first = try self.filled()
        first.close()
        let store = try self.folder.store(projections: [Copies()])
        try self.declare(store, members: RecordMembers(server: [try JSONPointer(parsing: "/n")]))
        #expect(try store.isIncomplete("c"))
        #expect(try self.count(store) == 0)
    }
}

// MARK: - Helpers

/// The records that a projection was called with.
final class CallLog: Sendable {
    private let list = Mutex<[String]>([])
    var pks: [String] { self.list.withLock { $0 } }
    func note(_ pk: String) { self.list.withLock { $0.append(pk) } }
}

extension `Tables of the app` {
    static func record(_ pk: String, _ data: String, version: String = "1") -> StoredRecord {
        StoredRecord(pk: pk, phase: .synced, confirmed: StoredVersion(version: version, data: Array(data.utf8)))
    }

    static func page(_ numbers: [Int], _ data: String, version: Int) -> FeedPage {
        FeedPage(numbers.map { FeedPage.Item(pk: "\"\($0)\"", version: "\(version)", data: data) })
    }

    func declare(
        _ store: SQLiteStore, members: RecordMembers = RecordMembers()
    ) throws(TidemarkError) {
        let rules = RecordIndexes(try IndexKeys([], of: "c"), members: members)
        try store.commit { (store) throws(TidemarkError) in
            for name in ["c", "notes"] { try store.declare(rules, in: name) }
        }
    }

    func store(_ projections: [any Projection]) throws(TidemarkError) -> SQLiteStore {
        let store = try self.folder.store(projections: projections)
        try self.declare(store)
        return store
    }

    func logged() throws -> (SQLiteStore, CallLog) {
        let log = CallLog()
        return (try self.store([Copies(trap: { pk, _ in log.note(pk) })]), log)
    }

    /// A store with five records and complete tables.
    func filled() throws(TidemarkError) -> SQLiteStore {
        let store = try self.store([Copies()])
        try self.pull(0..<5, into: store)
        while try self.build(store, limit: 100) {}
        return store
    }

    func pull(_ numbers: Range<Int>, into store: SQLiteStore, version: Int = 1) throws(TidemarkError) {
        let items = numbers.map {
            FeedPage.Item(pk: "\"\($0)\"", version: "\(version)", data: #"{"n":\#($0 * version)}"#)
        }
        try store.commit { (store) throws(TidemarkError) in
            _ = try store.refresh(FeedPage(items), in: "c", resyncGeneration: 0)
        }
    }

    func build(_ store: SQLiteStore, limit: Int) throws(TidemarkError) -> Bool {
        try store.transaction { () throws(TidemarkError) in try store.buildIndexes(in: "c", limit: limit) }
    }

    func count(_ store: SQLiteStore) throws -> Int64 {
        try store.database.integer("SELECT count(*) FROM app_copies")
    }

    func tables(_ store: SQLiteStore) throws -> [String] {
        let statement = try store.database.statement(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'app_*' ORDER BY name")
        var names: [String] = []
        while try statement.step() { names.append(try statement.text(0)) }
        return names
    }

    func code(_ body: () throws -> Void) -> TidemarkError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? TidemarkError)?.code
        }
    }
}
