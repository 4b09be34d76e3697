import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite("Indexes on a disk that breaks")
struct IndexCrashPointTests {
    private static func open(_ file: String, _ indexes: [RecordIndex]) throws -> SQLiteStore {
        let store = try SQLiteStore(.file(file))
        let rules = RecordIndexes(try IndexKeys(indexes, of: "c"), members: RecordMembers())
        try store.transaction { () throws(TidemarkError) in try store.declare(rules, in: "c") }
        return store
    }

    /// Pulls, builds, edits, replaces, removes, makes and drops: each in its own transaction.
    private static func day(on file: String) throws {
        let store = try Self.open(file, [["/n"], ["/tags/*"]])
        defer { store.close() }
        func write(_ body: () throws(TidemarkError) -> Void) throws { try store.transaction(body) }
        func page(_ numbers: Range<Int>, _ version: Int) -> FeedPage {
            FeedPage(
                numbers.map { number in
                    let data = #"{"n":\#(number * version),"tags":["a","\#(version)"]}"#
                    let isTombstone = version == 3 && number == 4
                    return FeedPage.Item(pk: "\"\(number)\"", version: "\(version)", data: isTombstone ? nil : data)
                })
        }
        try write { () throws(TidemarkError) in _ = try store.refresh(page(0..<6, 1), in: "c", resyncGeneration: 0) }
        try write { () throws(TidemarkError) in _ = try store.buildIndexes(in: "c", limit: 4) }
        try write { () throws(TidemarkError) in _ = try store.refresh(page(2..<8, 2), in: "c", resyncGeneration: 0) }
        while try store.completeIndexes(in: "c").isEmpty {
            try write { () throws(TidemarkError) in _ = try store.buildIndexes(in: "c", limit: 4) }
        }
        try write { () throws(TidemarkError) in
            guard var record = try store.record("3", in: "c") else { return }
            record.phase = .edited(.idle)
            record.editedData = Array(#"[{"op":"add","path":"/n","value":99}]"#.utf8)
            try store.save(record, in: "c")
        }
        try write { () throws(TidemarkError) in _ = try store.refresh(page(3..<7, 3), in: "c", resyncGeneration: 0) }
        try write { () throws(TidemarkError) in try store.erase("0", in: "c") }
        store.close()
        let again = try Self.open(file, [["/tags/*"], ["/n", "/x"]])
        defer { again.close() }
        try again.transaction { () throws(TidemarkError) in _ = try again.buildIndexes(in: "c", limit: 4) }
        try again.transaction { () throws(TidemarkError) in try again.erase(collection: "c") }
    }

    /// Checks the file after the fault, on a working disk.
    private static func check(_ file: String) throws {
        let store = try Self.open(file, [["/n"], ["/tags/*"]])
        defer { store.close() }
        #expect(try store.indexFaults(in: "c", limit: 3) == [])
        while try store.completeIndexes(in: "c").count < store.storedIndexes(in: "c").count {
            try store.transaction { () throws(TidemarkError) in _ = try store.buildIndexes(in: "c", limit: 3) }
        }
        #expect(try store.indexFaults(in: "c", limit: 3) == [])
        let damage = "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"
        #expect(try store.database.integer(damage) == 0)
    }

    @Test(arguments: BrokenDisk.Fault.allCases)
    func `the entries of indexes equal the rows after any broken write`(fault: BrokenDisk.Fault) throws {
        let sound = try BrokenDisk()
        // The tables of a new file are another test's subject.
        try SQLiteStore(.file(sound.path("a.db"))).close()
        let changes = try sound.breaking(fault, at: 0) { try Self.day(on: sound.path("a.db")) }
        #expect(changes > 40)
        for change in fault.places(of: changes) {
            let disk = try BrokenDisk()
            try SQLiteStore(.file(disk.path("a.db"))).close()
            try disk.breaking(fault, at: change) { try? Self.day(on: disk.path("a.db")) }
            #expect(throws: Never.self, "\(fault) at change \(change) of \(changes)") {
                try Self.check(disk.path("a.db"))
            }
        }
    }
}
