import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite struct `The work of a lookup depends on what it returns` {
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
        (SQLiteStore.recordsToSend, "record_to_send"), (SQLiteStore.unsettledRecords, "record_unsettled"),
        (SQLiteStore.recordByName, "record_by_name"), (SQLiteStore.watchedRecords, "record_watched"),
        (SQLiteStore.watchedRecordsAfter, "record_watched"),
        (SQLiteStore.waitingRecords, "record_waiting"),
        (SQLiteStore.listing([.edited], continued: true), "record_changed"),
        (SQLiteStore.listing([.edited, .created, .deleted], continued: false), "record_changed"),
        (SQLiteStore.listing([.edited, .created, .deleted], continued: true), "record_changed"),
        (SQLiteStore.listing([.synced], continued: true), "record_by_pk"),
        (SQLiteStore.listing(Set(SyncState.allCases), continued: true), "record_by_pk"),
        (SQLiteStore.countingChanged, "COVERING INDEX record_changed"),
        (SQLiteStore.countingAll, "COVERING INDEX record_by_pk"),
    ])
    func `its plan searches an index, in the order that is asked for`(sql: String, index: String) throws {
        let plan = try self.plan(sql)
        #expect(plan.contains(index))
        #expect(plan.contains("SEARCH"))
        #expect(!plan.contains("SCAN"))
        #expect(!plan.contains("TEMP B-TREE"))
    }

    /// SQLite's own steps for each lookup, in a store with some synced records beside six that are not.
    private func work(besides synced: Int) throws -> [Int] {
        let store = try SQLiteStore.sqliteInMemory()
        let items = (0..<synced).map { FeedPage.Item(pk: "\"\($0)\"", stamp: "1", data: "{\"n\":1}") }
        try store.commit { (store) throws(TidemarkError) in
            _ = try store.refresh(FeedPage(items), in: "c", listing: 0)
            for (number, activity) in RecordPhase.Activity.allCases.enumerated() {
                var record = edited("\(number * 7) changed", sequence: Int64(number))
                record.phase = .edited(activity)
                try store.save(record, in: "c")
            }
        }
        #expect(try store.recordsToSend(in: "c", limit: 50).count == 1)
        #expect(try store.unsettledRecords(in: "c").count == 2)
        #expect(try store.waitingRecords(in: "c").count == 2)
        #expect(try store.records(in: "c", states: [.edited, .deleted], after: nil, limit: 50).count == 5)
        let lookups = [
            SQLiteStore.recordsToSend, SQLiteStore.unsettledRecords, SQLiteStore.waitingRecords,
            SQLiteStore.listing([.edited, .deleted], continued: false),
        ]
        return try lookups.map { try store.database.statement($0).takeWork() }
    }

    @Test func `it is the same beside ten synced records and beside a hundred thousand`() throws {
        let small = try self.work(besides: 10)
        let large = try self.work(besides: 100_000)
        #expect(small.allSatisfy { $0 > 0 })
        #expect(small == large)
    }

    @Test func `a page that brings nothing new writes nothing`() throws {
        let folder = try TemporaryFolder()
        let store = try folder.store()
        let items = (0..<200).map { FeedPage.Item(pk: "\"\($0)\"", stamp: "1", data: "{\"n\":1}") }
        func pull(listing: Int64) throws -> (outcome: PageOutcome, logBytes: Int) {
            let outcome = try store.transaction { () throws(TidemarkError) in
                try store.refresh(FeedPage(items), in: "c", listing: listing)
            }
            return (outcome, try folder.read("a.db-wal").count)
        }
        let first = try pull(listing: 4)
        #expect(first.outcome.changed.count == 200)
        let second = try pull(listing: 4)
        #expect(second.outcome == PageOutcome(changed: [], left: []))
        #expect(second.logBytes == first.logBytes)
        // Another listing is news to be kept, though the rows are not.
        let third = try pull(listing: 5)
        #expect(third.outcome == PageOutcome(changed: [], left: []))
        #expect(third.logBytes > first.logBytes)
    }
}
