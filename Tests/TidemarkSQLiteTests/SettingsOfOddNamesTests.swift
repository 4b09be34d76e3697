import TestSupport
import TidemarkCore
import TidemarkDatabase
import Testing

@testable import TidemarkSQLite

@Suite struct SettingsOfOddNamesTests {
    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    @Test(arguments: ["a'b\"c", "a b", "/", "a//b", "é", "e\u{301}", "a\u{0}b"])
    func `the migration moves the settings of a collection of any name`(name: String) throws {
        let path = self.folder.path("odd.db")
        let old = try DatabaseConnection(.file(path), applicationID: SQLiteStore.applicationID)
        try old.execute(StoreSchema.firstTables + ";ALTER TABLE record ADD COLUMN last_merge BLOB;")
        try old.execute(StoreSchema.oneUpload + StoreSchema.otherServers + StoreSchema.found + StoreSchema.oneIndex)
        try old.execute(StoreSchema.undone + "ALTER TABLE record ADD COLUMN base BLOB;" + StoreSchema.newestToken)
        func insert(_ sql: String, _ one: String, _ other: String) throws {
            let statement = try old.statement(sql)
            try statement.bind(1, one)
            try statement.bind(2, other)
            try statement.run()
        }
        try insert("INSERT INTO collection (name, has_state, watermark) VALUES (?1, 1, ?2)", name, "w")
        for (key, value) in [("epoch", "e"), ("in-step", "5"), ("trouble", #"{"attempts":2}"#)] {
            try insert("INSERT INTO setting (key, value) VALUES (?1, ?2)", "\(key)/\(name)", value)
        }
        for _ in 0..<3 {
            try old.execute(
                """
                INSERT INTO journal (collection, pk, reason, lost, path)
                SELECT id, '1', 'conflict', 'client', '/x' FROM collection
                """)
        }
        try insert("INSERT INTO setting (key, value) VALUES (?1, ?2)", "restored/conflict/\(name)", "1 3")
        try old.setUserVersion(9)
        old.close()
        let store = try self.folder.store("odd.db")
        #expect(try store.collections().map { Array($0.utf8) } == [Array(name.utf8)])
        #expect(try store.journal(of: nil, in: name).map(\.isRestored) == [true, false, true])
        #expect(
            try store.state(of: name)
                == CollectionState(
                    cursor: "w", epoch: "e", lastInSync: .microseconds(5), trouble: #"{"attempts":2}"#))
    }
}
