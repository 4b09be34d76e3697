import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite struct `The work of a lookup depends on the size of its result` {
    /// The steps of a plan, one a line.
    private func plan(_ sql: String) throws -> String {
        let store = try SQLiteStore.sqliteInMemory()
        let statement = try store.database.statement("EXPLAIN QUERY PLAN \(sql)")
        var lines: [String] = []
        while try statement.step() {
            lines.append(try statement.text(3))
        }
        return lines.joined(separator: "\n")
    }

    @Test(arguments: [
        (SQLiteStore.recordsToSend, "record_changed"), (SQLiteStore.unsettledRecords, "record_changed"),
        (SQLiteStore.recordByName, "record_by_name"), (SQLiteStore.watchedRecords, "record_watched"),
        (SQLiteStore.watchedRecordsAfter, "record_watched"),
        (SQLiteStore.decidingRecords, "COVERING INDEX record_changed"), (SQLiteStore.heldRecords, "record_changed"),
        (SQLiteStore.listing([.synced], true), "record_by_pk"),
        (SQLiteStore.listing([.edited], true), "record_by_pk"),
        (SQLiteStore.listing(Set(SyncState.allCases), true), "record_by_pk"),
        (SQLiteStore.countingChanged, "COVERING INDEX record_changed"),
        (SQLiteStore.countingAll, "COVERING INDEX record_by_pk"),
    ])
    func `the plan of a lookup searches an index in the requested order`(sql: String, index: String) throws {
        let plan = try self.plan(sql)
        #expect(plan.contains(index))
        #expect(plan.contains("SEARCH"))
        #expect(!plan.contains("SCAN"))
        #expect(!plan.contains("TEMP B-TREE"))
    }

    @Test(arguments: [false, true])
    func `the plan for changed records reads only their index`(isContinued: Bool) throws {
        let plan = try self.plan(SQLiteStore.choosing([.edited, .deleted], isContinued))
        #expect(plan.contains("SEARCH record USING COVERING INDEX record_changed"))
        #expect(plan.contains("SEARCH record USING INTEGER PRIMARY KEY"))
        #expect(!plan.contains("SCAN"))
    }

    @Test func `a list of changed records is the same for few and for many changes`() throws {
        let store = try SQLiteStore.sqliteInMemory()
        let states: Set<SyncState> = [.edited, .deleted]
        func list() throws -> [String] {
            var (pks, last): ([String], String?) = ([], nil)
            while true {
                let page = try store.records(in: "c", states: states, after: last, limit: 1_500).map(\.pk)
                guard let end = page.last else { return pks }
                (pks, last) = (pks + page, end)
            }
        }
        try store.commit { (store) throws(TidemarkError) in
            let items = (0..<9).map { FeedPage.Item(pk: "\"\($0)\"", version: "1", data: "{}") }
            _ = try store.refresh(FeedPage(items), in: "c", resyncGeneration: 0)
            // One third of the changed records is CREATED.
            for number in 0..<SQLiteStore.manyChanges - 1 {
                var record = edited("\(number) changed", sequence: Int64(10_000_000 - number))
                record.phase = [.edited(.idle), .deleted(.held), .created(.idle)][number % 3]
                try store.save(record, in: "c")
            }
        }
        let few = try list()
        #expect(few.count == (SQLiteStore.manyChanges - 1) * 2 / 3)
        #expect(few == few.sorted())
        try store.commit { (store) throws(TidemarkError) in try store.save(edited("~", sequence: 1), in: "c") }
        #expect(try list() == few + ["~"])
    }

    /// SQLite's own steps for each lookup, in a store with some synced records and six changed ones.
    private func work(besides synced: Int) throws -> [Int] {
        let store = try SQLiteStore.sqliteInMemory()
        let items = (0..<synced).map { FeedPage.Item(pk: "\"\($0)\"", version: "1", data: "{\"n\":1}") }
        try store.commit { (store) throws(TidemarkError) in
            _ = try store.refresh(FeedPage(items), in: "c", resyncGeneration: 0)
            for (number, activity) in RecordPhase.Activity.allCases.enumerated() {
                var record = edited("\(number * 7) changed", sequence: Int64(number))
                record.phase = .edited(activity)
                try store.save(record, in: "c")
            }
        }
        #expect(try store.recordsToSend(in: "c", limit: 50).count == 1)
        #expect(try store.unsettledRecords(in: "c").count == 2)
        let waiting = try store.waiting(in: "c")
        #expect(waiting.deciding.count == 1 && waiting.held.count == 1)
        #expect(try store.records(in: "c", states: [.edited, .deleted], after: nil, limit: 50).count == 5)
        #expect(try store.records(in: "c", states: [.edited], after: "0 changed", limit: 50).count == 4)
        let lookups = [
            SQLiteStore.recordsToSend, SQLiteStore.unsettledRecords, SQLiteStore.decidingRecords,
            SQLiteStore.heldRecords,
            SQLiteStore.choosing([.edited, .deleted], false), SQLiteStore.countingSomeChanged,
        ]
        return try lookups.map { try store.database.statement($0).takeWork() }
    }

    @Test func `a lookup takes the same work among 10 and among 100,000 synced records`() throws {
        let small = try self.work(besides: 10)
        let large = try self.work(besides: 100_000)
        #expect(small.allSatisfy { $0 > 0 })
        #expect(small == large)
    }

    @Test func `a page without new rows writes nothing`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.store()
        let items = (0..<200).map { FeedPage.Item(pk: "\"\($0)\"", version: "1", data: "{\"n\":1}") }
        func pull(resyncGeneration: Int64) throws -> (outcome: PageOutcome, logBytes: Int) {
            let outcome = try store.transaction { () throws(TidemarkError) in
                try store.refresh(FeedPage(items), in: "c", resyncGeneration: resyncGeneration)
            }
            return (outcome, try folder.read("a.db-wal").count)
        }
        let first = try pull(resyncGeneration: 4)
        #expect(first.outcome.changed.count == 200)
        let second = try pull(resyncGeneration: 4)
        #expect(second.outcome == PageOutcome(changed: [], left: []))
        #expect(second.logBytes == first.logBytes)
        // Another full resync is stored, though the rows are not new.
        let third = try pull(resyncGeneration: 5)
        #expect(third.outcome == PageOutcome(changed: [], left: []))
        #expect(third.logBytes > first.logBytes)
    }
}
