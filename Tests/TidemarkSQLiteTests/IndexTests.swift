import Foundation
import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite struct `The indexes of a file` {
    private let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    // MARK: - Entries and rows

    /// Random writes of every kind, with openings, rollbacks, other declarations and slices of building between them.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `the entries equal the rows after each transaction`(seed: UInt64) throws {
        var day = try IndexDay(self.folder, seed: seed)
        for step in 1...120 {
            let action = try day.act()
            let faults = try day.store.indexFaults(in: "c", limit: 5)
            try #require(faults.isEmpty, "step \(step), \(action): \(faults)")
        }
        #expect(day.builtSlices > 5)
        // Complete at the end, so that the last comparison is about all rows.
        try day.declare()
        try day.save()
        try day.buildAll()
        #expect(try day.store.completeIndexes(in: "c") == day.indexes)
        #expect(try day.store.indexFaults(in: "c", limit: 5).isEmpty)
        day.store.close()
        #expect(try self.sqlite("a.db", "PRAGMA integrity_check") == "ok")
    }

    @Test func `the check of the indexes finds missing and stray entries`() throws {
        let store = try self.store([["/n"], ["/tags/*"]], rows: 3)
        #expect(try store.indexFaults(in: "c", limit: 9).isEmpty)
        try store.database.execute(
            "DELETE FROM entry_1 WHERE pk = '0'; INSERT INTO entry_2 VALUES (x'1111', '1', 2); UPDATE entry_1 SET record = 9"
        )
        let faults = try store.indexFaults(in: "c", limit: 9)
        #expect(faults.count { $0.contains("is missing in the index [/n]") } == 3)
        #expect(faults.count { $0.contains("the index [/n] has an entry") } == 2)
        #expect(faults.count { $0.contains("the index [/tags/*] has an entry of “1”") } == 1)
        #expect(try store.indexFaults(in: "c", limit: 2).count == 2)
    }

    @Test func `a page for an empty collection leaves the entries to be built in slices`() throws {
        let store = try self.store([["/n"]], rows: 0)
        #expect(try store.completeIndexes(in: "c") == [["/n"]])
        try self.pull(0..<10, into: store)
        #expect(try store.completeIndexes(in: "c").isEmpty)
        #expect(try store.storedIndexes(in: "c") == [["/n"]])
        #expect(try self.entryCount(store) == 0)
        #expect(try store.transaction { () throws(TidemarkError) in try store.buildIndexes(in: "c", limit: 4) })
        #expect(try self.entryCount(store) == 4)
        // The first four rows are kept from here on, later ones are not.
        try self.pull(2..<6, into: store, version: 2)
        #expect(try self.entryCount(store) == 4)
        #expect(try store.indexFaults(in: "c", limit: 9).isEmpty)
        #expect(try store.completeIndexes(in: "c").isEmpty)
        #expect(try store.transaction { () throws(TidemarkError) in try store.buildIndexes(in: "c", limit: 4) })
        #expect(try !store.transaction { () throws(TidemarkError) in try store.buildIndexes(in: "c", limit: 4) })
        #expect(try store.completeIndexes(in: "c") == [["/n"]])
        #expect(try self.entryCount(store) == 10)
        #expect(try store.indexFaults(in: "c", limit: 9).isEmpty)
        // From here on, a page is kept at once.
        try self.pull(8..<20, into: store, version: 3)
        #expect(try store.completeIndexes(in: "c") == [["/n"]])
        #expect(try self.entryCount(store) == 20)
    }

    @Test func `records of the app get their entries with the first rows of the server`() throws {
        let store = try self.store([["/n"]], rows: 0)
        try store.commit { (store) throws(TidemarkError) in try store.save(edited("mine"), in: "c") }
        #expect(try self.entryCount(store) == 1)
        try self.pull(0..<10, into: store)
        #expect(try store.completeIndexes(in: "c").isEmpty)
        #expect(try self.entryCount(store) == 0)
        try store.commit { (store) throws(TidemarkError) in _ = try store.buildIndexes(in: "c", limit: 100) }
        #expect(try store.completeIndexes(in: "c") == [["/n"]])
        #expect(try self.entryCount(store) == 11)
        #expect(try store.indexFaults(in: "c", limit: 9).isEmpty)
        // A change among rows of the server is kept at once.
        try store.commit { (store) throws(TidemarkError) in try store.save(edited("mine"), in: "c") }
        try self.pull(10..<12, into: store)
        #expect(try self.entryCount(store) == 13)
    }

    @Test func `a page with equal keys writes no entry`() throws {
        let store = try self.store([["/n"], ["/tags/*"]], rows: 4)
        func marks() throws -> [Int64] {
            try (1...2).map { try store.database.integer("SELECT sum(record) FROM entry_\($0)") }
        }
        // An entry that is written again loses this mark.
        try store.database.execute("UPDATE entry_1 SET record = record + 100; UPDATE entry_2 SET record = record + 100")
        let before = try marks()
        try store.commit { (store) throws(TidemarkError) in
            let items = (0..<4).map { number in
                let content = #"{"x":1,"tags":["b","a","b"],"n":\#(number).0}"#
                return FeedPage.Item(pk: "\"\(number)\"", version: "9", data: content)
            }
            _ = try store.refresh(FeedPage(items), in: "c", resyncGeneration: 0)
        }
        #expect(try marks() == before)
    }

    // MARK: - Declarations

    @Test func `an index is kept, made and dropped at the next opening`() throws {
        let first = try self.store([["/n"], ["/tags/*"]], rows: 5)
        first.close()
        let second = try self.open([["/done", "/n"], ["/n"]])
        #expect(try second.storedIndexes(in: "c") == [["/done", "/n"], ["/n"]])
        #expect(try second.completeIndexes(in: "c") == [["/n"]])
        #expect(try self.tables(second) == ["entry_1", "entry_2"])
        try second.commit { (store) throws(TidemarkError) in _ = try store.buildIndexes(in: "c", limit: 100) }
        #expect(try second.completeIndexes(in: "c") == [["/done", "/n"], ["/n"]])
        #expect(try second.indexFaults(in: "c", limit: 9).isEmpty)
        second.close()
        let third = try self.open([])
        #expect(try third.storedIndexes(in: "c").isEmpty)
        #expect(try self.tables(third).isEmpty)
        #expect(try third.database.integer("SELECT count(*) FROM derived") == 0)
    }

    @Test func `an index of other members is built again`() throws {
        let first = try self.store([["/n"]], rows: 5)
        first.close()
        let members = RecordMembers(server: [try JSONPointer(parsing: "/modified")])
        let second = try self.open([["/n"]], members: members)
        #expect(try second.completeIndexes(in: "c").isEmpty)
        #expect(try self.entryCount(second) == 0)
        try second.commit { (store) throws(TidemarkError) in _ = try store.buildIndexes(in: "c", limit: 100) }
        #expect(try second.completeIndexes(in: "c") == [["/n"]])
        #expect(try second.indexFaults(in: "c", limit: 9).isEmpty)
        second.close()
        let third = try self.open([["/n"]], members: members)
        #expect(try third.completeIndexes(in: "c") == [["/n"]])
    }

    @Test func `a declaration that is rolled back leaves the indexes as they were`() throws {
        let store = try self.store([["/n"]], rows: 3)
        #expect(throws: TidemarkError.self) {
            try store.transaction { () throws(TidemarkError) in
                try store.declare(try Self.indexes([["/tags/*"]]), in: "c")
                try store.erase("1", in: "c")
                throw TidemarkError(.cancelled, "stopped by the test")
            }
        }
        #expect(try store.storedIndexes(in: "c") == [["/n"]])
        #expect(try self.tables(store) == ["entry_1"])
        try store.commit { (store) throws(TidemarkError) in try store.declare(try Self.indexes([["/n"]]), in: "c") }
        #expect(try store.completeIndexes(in: "c") == [["/n"]])
        #expect(try store.indexFaults(in: "c", limit: 9).isEmpty)
    }

    @Test func `a writer without a declaration leaves debts, and the indexes are not used`() throws {
        let first = try self.store([["/n"]], rows: 3)
        first.close()
        let store = try self.folder.store()
        #expect(try store.completeIndexes(in: "c").isEmpty)
        #expect(try store.indexFaults(in: "c", limit: 9).count == 1)
        try self.pull(1..<2, into: store, version: 2)
        #expect(try store.storedIndexes(in: "c") == [["/n"]])
        #expect(try store.database.integer("SELECT count(*) FROM debt") == 1)
        store.close()
        let next = try self.open([["/n"]])
        #expect(try next.completeIndexes(in: "c") == [["/n"]])
        #expect(try next.indexFaults(in: "c", limit: 9).isEmpty)
        #expect(try next.database.integer("SELECT count(*) FROM debt") == 0)
    }

    @Test func `erased collections and stores have their indexes again with their next record`() throws {
        let store = try self.store([["/n"]], rows: 3)
        for eraseAll in [false, true] {
            try store.commit { (store) throws(TidemarkError) in
                if eraseAll { try store.eraseAll() } else { try store.erase(collection: "c") }
            }
            #expect(try self.tables(store).isEmpty)
            #expect(try store.storedIndexes(in: "c").isEmpty)
            try store.commit { (store) throws(TidemarkError) in try store.save(edited("7"), in: "c") }
            #expect(try store.completeIndexes(in: "c") == [["/n"]])
            #expect(try self.entryCount(store) == 1)
            #expect(try store.indexFaults(in: "c", limit: 9).isEmpty)
        }
    }

    @Test func `the build passes rows of other collections, and counts them`() throws {
        let store = try self.store([["/n"]], rows: 0)
        try self.pull(0..<6, into: store, collection: "before")
        try self.pull(0..<2, into: store)
        try self.pull(0..<6, into: store, collection: "after")
        try self.pull(2..<4, into: store)
        func build() throws -> Bool {
            try store.transaction { () throws(TidemarkError) in try store.buildIndexes(in: "c", limit: 5) }
        }
        #expect(try build())
        #expect(try self.entryCount(store) == 2)
        #expect(try build())
        #expect(try !build())
        #expect(try self.entryCount(store) == 4)
        #expect(try store.indexFaults(in: "c", limit: 9).isEmpty)
    }

    @Test func `a slice of large rows ends at its number of bytes`() throws {
        let store = try self.store([["/n"]], rows: 0)
        let size = SQLiteStore.sliceBytes / 2 - 100
        try self.pull(0..<7, into: store, text: String(repeating: "x", count: size))
        var counts: [Int64] = []
        while try store.transaction({ () throws(TidemarkError) in try store.buildIndexes(in: "c", limit: 100) }) {
            counts.append(try self.entryCount(store))
        }
        #expect(counts == [3, 6])
        #expect(try self.entryCount(store) == 7)
        #expect(try store.completeIndexes(in: "c") == [["/n"]])
        #expect(try store.indexFaults(in: "c", limit: 9).isEmpty)
    }

    // MARK: - The file

    @Test func `other programs can check, copy and read a file with indexes`() throws {
        let store = try self.store([["/n"], ["/tags/*"]], rows: 50)
        store.close()
        #expect(try self.sqlite("a.db", "PRAGMA integrity_check") == "ok")
        #expect(try self.sqlite("a.db", "VACUUM INTO '\(self.folder.path("b.db"))'").isEmpty)
        #expect(try self.sqlite("b.db", "SELECT count(*) FROM entry_1 JOIN record ON id = record") == "50")
        let insertion = "INSERT INTO entry_1 VALUES (x'00', 'x', 99); SELECT count(*) FROM entry_1"
        #expect(try self.sqlite("b.db", insertion) == "51")
        let copy = try self.open([["/n"], ["/tags/*"]], in: "b.db")
        #expect(try copy.indexFaults(in: "c", limit: 9).count == 1)
    }

    @Test(arguments: [false, true])
    func `the plan of a page of entries reads them in order`(isBackward: Bool) throws {
        let store = try self.store([["/n"]], rows: 1)
        for isContinued in [false, true] {
            let sql = SQLiteStore.entries(
                of: "entry_1", lower: isBackward || !isContinued, upper: !isBackward || !isContinued,
                continued: isContinued, isBackward)
            let plan = try store.database.statement("EXPLAIN QUERY PLAN \(sql)")
            var steps: [String] = []
            while try plan.step() { steps.append(try plan.text(3)) }
            #expect(steps.count == 2)
            #expect(steps[0].hasPrefix("SEARCH entry USING PRIMARY KEY"))
            // The place is searched for, and not compared with each entry before it.
            #expect(steps[0].contains("(key,pk)\(isBackward ? "<" : ">")(?,?)") == isContinued)
            #expect(steps[1].hasPrefix("SEARCH record USING INTEGER PRIMARY KEY"))
        }
    }
}

// MARK: - Helpers

extension `The indexes of a file` {
    static func indexes(
        _ indexes: [RecordIndex], members: RecordMembers = RecordMembers()
    ) throws(TidemarkError) -> RecordIndexes {
        RecordIndexes(try IndexKeys(indexes, of: "c"), members: members)
    }

    private func open(
        _ indexes: [RecordIndex], in file: String = "a.db", members: RecordMembers = RecordMembers()
    ) throws(TidemarkError) -> SQLiteStore {
        let store = try self.folder.store(file)
        try store.commit { (store) throws(TidemarkError) in
            try store.declare(try Self.indexes(indexes, members: members), in: "c")
        }
        return store
    }

    /// A store with complete indexes and some rows.
    private func store(_ indexes: [RecordIndex], rows: Int) throws(TidemarkError) -> SQLiteStore {
        let store = try self.open(indexes)
        try self.pull(0..<rows, into: store)
        try store.commit { (store) throws(TidemarkError) in
            while try store.buildIndexes(in: "c", limit: 100) {}
        }
        return store
    }

    private func pull(
        _ numbers: Range<Int>, into store: SQLiteStore, collection: String = "c", version: Int = 1, text: String = ""
    ) throws(TidemarkError) {
        let items = numbers.map { number in
            FeedPage.Item(
                pk: "\"\(number)\"", version: "\(version)",
                data: #"{"n":\#(number * version),"tags":["a","b"],"text":"\#(text)"}"#)
        }
        try store.commit { (store) throws(TidemarkError) in
            _ = try store.refresh(FeedPage(items), in: collection, resyncGeneration: 0)
        }
    }

    private func entryCount(_ store: SQLiteStore) throws -> Int64 {
        try store.database.integer("SELECT count(*) FROM entry_1")
    }

    private func tables(_ store: SQLiteStore) throws -> [String] {
        let statement = try store.database.statement(
            "SELECT name FROM sqlite_schema WHERE name GLOB 'entry_*' ORDER BY name")
        var names: [String] = []
        while try statement.step() { names.append(try statement.text(0)) }
        return names
    }

    /// The output of the `sqlite3` program.
    private func sqlite(_ file: String, _ sql: String) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", self.folder.path(file), sql]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "sqlite3 is missing, or failed")
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
