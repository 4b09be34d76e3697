import Foundation
import TestSupport
import TidemarkCore
import TidemarkRules
import TidemarkSQLite
import Testing

@Suite("A store by its name, and by a URL") struct NamedStoreTests {
    @Test func `a store with a name is in the folder of the program, and is found again`() throws {
        let name = "test-\(UUID())"
        let places = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        let folder = try #require(places.first).appendingPathComponent(ProcessInfo.processInfo.processName)
        let file = folder.appendingPathComponent("\(name).db")
        // No other test makes a store there.
        defer { try? FileManager.default.removeItem(at: folder) }
        func kept() throws -> String? {
            let store: SQLiteStore = try .sqlite(name)
            defer { store.close() }
            let former = try store.setting("seen")
            try store.transaction { () throws(TidemarkError) in try store.set("seen", to: "yes") }
            return former
        }
        #expect(try kept() == nil)
        #expect(FileManager.default.fileExists(atPath: file.path))
        #expect(try kept() == "yes")
    }

    @Test(arguments: ["", "a/b", "../a", "a/\u{301}b", String(repeating: "a", count: 201)])
    func `a name that can't be one of a file is refused`(name: String) {
        let error = #expect(throws: TidemarkError.self) { _ = try SQLiteStore.sqlite(name) }
        #expect(error?.code == .invalidName)
    }

    @Test func `a store at the URL of a file, but of nothing else`() throws {
        let folder = try TemporaryFolder()
        let store: SQLiteStore = try .sqlite(at: folder.url.appendingPathComponent("a b.db"))
        store.close()
        #expect(FileManager.default.fileExists(atPath: folder.path("a b.db")))
        let web = try #require(URL(string: "https://example.com/a.db"))
        let error = #expect(throws: TidemarkError.self) { _ = try SQLiteStore.sqlite(at: web) }
        #expect(error?.code == .invalidName)
    }
}
