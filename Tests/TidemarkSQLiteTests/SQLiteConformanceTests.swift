import TestSupport
import Testing
import TidemarkCore
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite struct `A store in SQLite keeps the contract of a store` {
    @Test(arguments: StoreConformance.checks)
    func `a store in a file passes each conformance check`(check: StoreConformance.Check) throws {
        let folder = try TemporaryFolder()
        try check.run { try SQLiteStore(path: folder.path("a.db")) }
    }

    @Test(arguments: StoreConformance.checks)
    func `a store in memory passes each conformance check`(check: StoreConformance.Check) throws {
        try check.run { try SQLiteStore.sqliteInMemory() }
    }

    @Test func `a write outside of a transaction stops the program`() async {
        await #expect(processExitsWith: .failure) {
            try SQLiteStore.sqliteInMemory().set("a", to: "1")
        }
    }

    @Test func `a transaction inside another one stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let store = try SQLiteStore.sqliteInMemory()
            try store.commit { (store) throws(TidemarkError) in try store.commit { _ in } }
        }
    }
}
