import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

/// The file of an app between two of its starts, while another program has it (Contract §13).
@Suite struct `A file with a guest` {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    // MARK: - Debts

    /// Random writes of the owner, with slices of building, and of guests; some guests have the owner's rules for entries.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `the owner pays each debt when it opens the file (R31)`(seed: UInt64) throws {
        var day = try IndexDay(self.folder, seed: seed, projections: [Copies()])
        var (random, debts) = (SeededGenerator(seed: seed), Int64(0))
        for round in 1...25 {
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                if try day.act() == .eraseAll { try day.reopen() }
            }
            let isOther = Bool.random(using: &random)
            let members = isOther ? RecordMembers(server: ["/other"]) : RecordMembers()
            try day.letGuestWrite(Int.random(in: 0...8, using: &random), members: members)
            debts += try self.debts(day.store)
            try day.reopen()
            #expect(try self.debts(day.store) == 0)
            let faults = try Copies.faults(in: day.store) + day.store.indexFaults(in: "c", limit: 5)
            try #require(faults.isEmpty, "round \(round): \(faults)")
        }
        #expect(debts > 5)
        try day.buildAll()
        #expect(try Copies.faults(in: day.store).isEmpty)
        #expect(try day.store.completeIndexes(in: "c") == day.indexes)
        _ = try day.store.readTables { tables in try tables.rows("SELECT * FROM app_copies") }
    }

    @Test func `a table with a debt is not read, and its debts are paid by a program that knows it (R31)`() throws {
        try self.write(by: self.owner(), pks: ["1", "2"], then: .build)
        let (store, guest) = try self.guest([])
        try self.write(by: (store, guest), pks: ["2", "3"], n: 2)
        #expect(try self.debts(store) == 2)
        #expect(try store.completeIndexes(in: "c") == [["/n"]])
        store.close()
        // Opened by code that declares nothing, the tables are not used.
        let raw = try self.folder.store(projections: [Copies()])
        let error = #expect(throws: TidemarkError.self) { _ = try raw.readTables { _ in } }
        #expect(error?.code == .projectionIncomplete)
        raw.close()
        let (again, _) = try self.owner()
        #expect(try self.debts(again) == 0)
        #expect(try again.readTables { tables in try tables.rows("SELECT * FROM app_copies") }.count == 3)
        #expect(try Copies.faults(in: again).isEmpty)
        again.close()
    }

    @Test func `tables with too many debts are built again in slices (R31)`() throws {
        try self.write(by: self.owner(), pks: ["1"], then: .build)
        let other = RemoteCapabilities.others
        let (store, guest) = try self.guest(nil, capabilities: other)
        try self.write(by: (store, guest), pks: (10..<266).map { "\($0)" })
        #expect(try self.debts(store) == 512)
        try self.write(by: (store, guest), pks: ["266"])
        #expect(try self.debts(store) == 0)
        #expect(try store.storedIndexes(in: "c") == [["/n"]])
        store.close()
        let (again, engine) = try self.owner()
        #expect(try again.isIncomplete("c"))
        while try engine.buildIndexes(of: "c") {}
        #expect(try again.completeIndexes(in: "c") == [["/n"]])
        #expect(try again.readTables { tables in try tables.rows("SELECT * FROM app_copies") }.count == 258)
        #expect(try Copies.faults(in: again).isEmpty)
        #expect(try again.indexFaults(in: "c", limit: 5).isEmpty)
        again.close()
    }

    @Test func `the first page of a guest leaves the tables to be built (R31)`() throws {
        self.close(try self.owner())
        let (store, _) = try self.guest(nil)
        let items = (0..<400).map { FeedPage.Item(pk: "\"\($0)\"", version: "1", data: "{\"n\":\($0)}") }
        try store.commit { (store) throws(TidemarkError) in
            _ = try store.refresh(FeedPage(items), in: "c", resyncGeneration: 0)
        }
        #expect(try self.debts(store) == 0)
        store.close()
        let (again, engine) = try self.owner()
        while try engine.buildIndexes(of: "c") {}
        #expect(try Copies.faults(in: again).isEmpty)
        #expect(try again.indexFaults(in: "c", limit: 5).isEmpty)
        again.close()
    }

    // MARK: - What stays in the file

    @Test func `a guest drops and makes no index and no table (R29)`() throws {
        try self.write(by: self.owner(), pks: ["1", "2"], then: .build)
        let before = try self.tables()
        var configuration = SyncConfiguration()
        configuration["c"].indexes = [["/other"]]
        configuration["c"].references = ["/list": "lists"]
        let (store, guest) = try self.guest([TitleSearch()], configuration)
        try self.write(by: (store, guest), pks: ["2", "3"], n: 2)
        store.close()
        #expect(try self.tables() == before)
        let (again, _) = try self.owner()
        #expect(try again.completeIndexes(in: "c") == [["/n"]])
        #expect(try again.indexFaults(in: "c", limit: 5).isEmpty)
        #expect(try Copies.faults(in: again).isEmpty)
        again.close()
    }

    @Test func `a guest uses the index of the owner, and not one of another version (R31)`() throws {
        try self.write(by: self.owner(), pks: ["1", "2"], then: .build)
        let (same, _) = try self.guest(nil)
        #expect(try same.completeIndexes(in: "c") == [["/n"]])
        same.close()
        let (other, _) = try self.guest(nil, capabilities: .others)
        #expect(try other.completeIndexes(in: "c").isEmpty)
        #expect(try other.storedIndexes(in: "c") == [["/n"]])
        other.close()
    }

    @Test func `a guest with another version of a projection leaves its tables, and does not read them (R29)`() throws {
        try self.write(by: self.owner(), pks: ["1", "2"], then: .build)
        let (store, guest) = try self.guest([Copies(version: 2)])
        #expect(throws: TidemarkError.self) { _ = try store.readTables { _ in } }
        try self.write(by: (store, guest), pks: ["3"], n: 2)
        store.close()
        let (again, _) = try self.owner()
        #expect(try again.readTables { tables in try tables.rows("SELECT * FROM app_copies") }.count == 3)
        again.close()
    }

    @Test func `a guest with the owner's projection keeps and reads its tables (R31)`() throws {
        try self.write(by: self.owner(), pks: ["1", "2"], then: .build)
        let (store, guest) = try self.guest([Copies()])
        try self.write(by: (store, guest), pks: ["3"], n: 2)
        #expect(try self.debts(store) == 0)
        #expect(try store.readTables { tables in try tables.rows("SELECT * FROM app_copies") }.count == 3)
        store.close()
    }

    @Test func `a guest leaves the rows of a forgotten collection to the owner (R29)`() throws {
        try self.write(by: self.owner(), pks: ["1"], then: .build)
        let (first, _) = try self.owner()
        try first.commit { (store) throws(TidemarkError) in try store.erase(collection: "c") }
        first.close()
        let (store, guest) = try self.guest(nil)
        #expect(try !guest.removeErased())
        #expect(try store.database.integer("SELECT count(*) FROM record") == 1)
        store.close()
        let (again, owner) = try self.owner()
        #expect(try !owner.removeErased())
        #expect(try again.database.integer("SELECT count(*) FROM record") == 0)
        again.close()
    }

    @Test(arguments: [false, true])
    func `opening a file without a change writes nothing (R30)`(isGuest: Bool) throws {
        try self.write(by: self.owner(capabilities: .others), pks: ["1"], then: .build)
        for _ in 0..<2 {
            let (store, engine) =
                isGuest ? try self.guest(nil, capabilities: nil) : try self.owner(capabilities: .others)
            #expect(engine.capabilities == .others)
            #expect(try store.database.integer("SELECT total_changes()") == 0)
            store.close()
        }
    }
}

// MARK: - Helpers

extension RemoteCapabilities {
    /// Entries of indexes are made without the server's members, so those of another server have another form.
    fileprivate static var others: RemoteCapabilities {
        var capabilities = RemoteCapabilities.native
        capabilities.serverMembers = ["/_rev"]
        return capabilities
    }
}

extension `A file with a guest` {
    fileprivate typealias Client = (store: SQLiteStore, engine: SyncEngine)

    /// The app: with an index and a projection.
    private func owner(capabilities: RemoteCapabilities = .native) throws -> Client {
        var configuration = SyncConfiguration()
        configuration["c"].indexes = [["/n"]]
        let store = try self.folder.store(projections: [Copies()])
        return (
            store,
            try SyncEngine(
                store: store, configuration: configuration, capabilities: capabilities, seed: 1)
        )
    }

    private func guest(
        _ projections: [any Projection]?, _ configuration: SyncConfiguration = SyncConfiguration(),
        capabilities: RemoteCapabilities? = .native
    ) throws -> Client {
        var configuration = configuration
        configuration.isGuest = true
        let store = try self.folder.store(projections: projections)
        return (
            store,
            try SyncEngine(
                store: store, configuration: configuration, capabilities: capabilities, seed: 1)
        )
    }

    private enum Then { case build }

    private func write(by client: Client, pks: [String], n: Int = 1, then: Then? = nil) throws {
        let contents = pks.map { RecordInput(pk: $0, content: ["n": JSON(n), "title": "Milk"]) }
        _ = try client.engine.upsert(contents, in: "c")
        guard then == .build else { return }
        while try client.engine.buildIndexes(of: "c") {}
        client.store.close()
    }

    private func close(_ client: Client) { client.store.close() }

    private func debts(_ store: SQLiteStore) throws -> Int64 {
        try store.database.integer("SELECT count(*) FROM debt")
    }

    /// The tables of the file, and what `derived` says about them.
    private func tables() throws -> [String] {
        let database = try DatabaseConnection(.file(self.folder.path("a.db")))
        defer { database.close() }
        let rows = try database.statement(
            """
            SELECT type || ' ' || name FROM sqlite_schema
            UNION ALL SELECT kind || name || collection || version || fingerprint || coalesce(failure, '') FROM derived
            UNION ALL SELECT key || value FROM setting WHERE key = 'references' ORDER BY 1
            """)
        var texts: [String] = []
        while try rows.step() { texts.append(try rows.text(0)) }
        return texts
    }
}
