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

@Suite struct `Opening a store` {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    private func failure(_ open: () throws -> SQLiteStore) throws -> TidemarkError {
        try #require(throws: TidemarkError.self) { _ = try open() }
    }

    @Test func `committed values are in the file when it is opened again`() throws {
        var store: SQLiteStore? = try .sqlite(at: self.folder.path("a.db"))
        try store?.commit { (store) throws(TidemarkError) in
            try store.set("account", to: "7")
            try store.save(CollectionState(cursor: "w", resyncGeneration: 3), of: "c")
            try store.save(edited("1"), in: "c")
        }
        store = nil
        let again = try self.folder.store()
        #expect(try again.setting("account") == "7")
        #expect(try again.state(of: "c") == CollectionState(cursor: "w", resyncGeneration: 3))
        #expect(try again.recordsToSend(in: "c", limit: 9) == [edited("1")])
    }

    @Test func `a store can be created in the argument of a sending parameter`() throws {
        func owner(store: sending some RecordStore) throws -> [String] {
            try store.collections()
        }
        #expect(try owner(store: .sqlite(at: self.folder.path("a.db"))) == [])
        #expect(try owner(store: .sqliteInMemory()) == [])
    }

    @Test func `every commit is synced to disk, and the file has the application's id`() throws {
        let store = try self.folder.store()
        #expect(try store.database.integer("PRAGMA synchronous") == 2)
        #expect(try store.database.applicationID() == Int64(SQLiteStore.applicationID))
        #expect(try store.database.userVersion() == StoreSchema.migrator.newestVersion)
        store.close()
    }

    @Test func `a link to a missing file creates the file at its target`() throws {
        try FileManager.default.createSymbolicLink(
            atPath: self.folder.path("link.db"), withDestinationPath: self.folder.path("real.db"))
        let store = try SQLiteStore.sqlite(at: self.folder.path("link.db"))
        try store.commit { (store) throws(TidemarkError) in try store.save(edited("1"), in: "c") }
        store.close()
        #expect(FileManager.default.fileExists(atPath: self.folder.path("real.db")))
    }

    @Test func `a second client of this program gets storeBusy at once`() throws {
        let first = try self.folder.store()
        try first.commit { (store) throws(TidemarkError) in try store.save(edited("1"), in: "c") }
        let error = try self.failure { try self.folder.store() }
        #expect(error.code == .storeBusy)
        #expect(error.message.contains(self.folder.path("a.db")))
        #expect(error.message.contains("the file is open in this program"))
        #expect(error.message.contains("share one client"))
        try first.commit { (store) throws(TidemarkError) in try store.save(edited("2"), in: "c") }
        first.close()
        #expect(try self.folder.store().pks() == ["1", "2"])
    }

    @Test func `a client of another program gets storeBusy with the process id`() async throws {
        let first = try self.folder.store()
        try first.commit { (store) throws(TidemarkError) in try store.save(edited("1"), in: "c") }
        let (path, process) = (self.folder.path("a.db"), getpid())
        await #expect(processExitsWith: .success) { [path = path as String, process = process as Int32] in
            for _ in 0..<2 {
                let error = #expect(throws: TidemarkError.self) { _ = try SQLiteStore(path: path) }
                #expect(error?.code == .storeBusy)
                #expect(error?.message.contains("the file is open in process \(process).") == true)
            }
        }
        first.close()
        await #expect(processExitsWith: .success) { [path = path as String] in try SQLiteStore(path: path).close() }
    }

    @Test func `a store that is refused in its own program stays locked for other programs`() async throws {
        let first = try self.folder.store()
        for _ in 0..<2 { _ = try self.failure { try self.folder.store() } }
        await #expect(processExitsWith: .success) { [path = self.folder.path("a.db") as String] in
            let error = #expect(throws: TidemarkError.self) { _ = try SQLiteStore(path: path) }
            #expect(error?.code == .storeBusy)
        }
        first.close()
    }

    @Test(.timeLimit(.minutes(10)))
    func `eight-at-once: clients wait for a busy file, and all open it in the end`() async throws {
        let path = self.folder.path("a.db")
        let pks = (0..<8).map { "\($0)" }
        let server = try InProcessServer()
        // The clients really wait for the file, and their pauses end at once.
        let moving = Task {
            while !Task.isCancelled {
                if let pause = server.clock.sleepers.first { server.clock.set(to: pause) }
                await Task.yield()
            }
        }
        defer { moving.cancel() }
        try await withThrowingTaskGroup { group in
            for (seed, pk) in pks.enumerated() {
                group.addTask {
                    let client = try await SyncClient.open(
                        store: .sqlite(at: path), remote: InProcessRemote(server), configuration: SyncConfiguration(),
                        time: server.clock, seed: UInt64(seed), waiting: .seconds(3_600))
                    try await client["c"].create([:], pk: pk)
                    await client.close()
                }
            }
            try await group.waitForAll()
        }
        #expect(try self.folder.store().pks() == pks)
    }

    @Test func `a text file is refused as a store and not changed`() throws {
        let text = [UInt8](String(repeating: "milk\n", count: 400).utf8)
        try self.folder.write(text, to: "a.db")
        let error = try self.failure { try self.folder.store() }
        #expect(error.code == .notAStore)
        #expect(error.message.contains("text file"))
        #expect(try self.folder.read("a.db") == text)
    }

    @Test func `another program's database is refused as a store and not changed`() throws {
        let theirs = try DatabaseConnection(.file(self.folder.path("a.db")))
        try theirs.execute("PRAGMA journal_mode = DELETE; CREATE TABLE theirs (x)")
        theirs.close()
        let before = try self.folder.read("a.db")
        #expect(try self.failure { try self.folder.store() }.code == .notAStore)
        #expect(try self.folder.read("a.db") == before)
    }

    @Test func `the refusal of a copy names the file that was copied`() throws {
        let path = self.folder.path("a.db")
        let theirs = try DatabaseConnection(.file(path))
        try theirs.execute("CREATE TABLE theirs (x)")
        theirs.close()
        let error = try self.failure { try StoreCopy(of: path).open() }
        #expect(error.code == .notAStore)
        #expect(error.message.hasPrefix("\(path): ") && !error.message.contains("tidemark-copy"), "\(error)")
    }

    @Test func `a store of a newer version is refused and keeps its records`() throws {
        let newest = StoreSchema.migrator.newestVersion
        let store = try self.folder.store()
        try store.commit { (store) throws(TidemarkError) in try store.save(edited("1"), in: "c") }
        try store.database.setUserVersion(Int32(newest + 1))
        store.close()

        let error = try self.failure { try self.folder.store() }
        #expect(error.code == .storeNewer)
        #expect(error.message.contains("version \(newest + 1)"))
        #expect(error.message.contains("Update the program"))
        let file = try DatabaseConnection(.file(self.folder.path("a.db")))
        #expect(try file.integer("SELECT count(*) FROM record") == 1)
    }

    @Test(arguments: [0x544D_7374, 0x746D_5356], [1, 2, 12, 13])
    func `a file from before the first release is refused as a store and not changed`(
        mark: Int32, version: Int32
    ) throws {
        let old = try DatabaseConnection(.file(self.folder.path("a.db")), applicationID: mark)
        try old.execute("PRAGMA journal_mode = DELETE; CREATE TABLE record (pk TEXT, stamp TEXT)")
        try old.setUserVersion(version)
        old.close()
        let before = try self.folder.read("a.db")
        let error = try self.failure { try self.folder.store() }
        #expect(error.code == .notAStore)
        #expect(
            error.message
                == """
                \(self.folder.path("a.db")): this file was made before the first release of Tidemark, and can't be migrated; \
                it was not changed. Erase it, or name a new file.
                """)
        #expect(try self.folder.read("a.db") == before)
    }

    @Test func `a refused file keeps the log of a process that was killed`() throws {
        let killed = try DatabaseConnection(.file(self.folder.path("killed.db")), applicationID: 0x544D_7374)
        try killed.execute("CREATE TABLE record (pk TEXT, stamp TEXT)")
        var before: [String: [UInt8]] = [:]
        for suffix in ["", "-wal"] {
            before[suffix] = try self.folder.read("killed.db\(suffix)")
            try self.folder.write(try self.folder.read("killed.db\(suffix)"), to: "a.db\(suffix)")
        }
        killed.close()
        #expect(before["-wal"]?.isEmpty == false)
        #expect(try self.failure { try self.folder.store() }.code == .notAStore)
        for suffix in ["", "-wal"] { #expect(try self.folder.read("a.db\(suffix)") == before[suffix], "\(suffix)") }
    }

    @Test func `a store in a missing folder is refused`() throws {
        let error = try self.failure { try self.folder.store("no/such/a.db") }
        #expect(error.code == .storeUnavailable)
        #expect(error.message.contains("Check that the folder exists"))
    }

    @Test func `a damaged file is reported as storeCorrupt`() throws {
        let store = try self.folder.store()
        try store.commit { (store) throws(TidemarkError) in
            for number in 0..<100 {
                try store.save(edited("\(number)", bytes: 500), in: "c")
            }
        }
        store.close()
        var bytes = try self.folder.read("a.db")
        #expect(bytes.count > 40_000)
        // The first page, with header and schema, is unchanged.
        bytes.replaceSubrange(4096..., with: repeatElement(0x5A, count: bytes.count - 4096))
        try self.folder.write(bytes, to: "a.db")
        let error = try #require(throws: TidemarkError.self) { _ = try self.folder.store().pks() }
        #expect(error.code == .storeCorrupt)
        #expect(error.message.contains("backup"))
    }

    @Test(arguments: ["state = 'LOST'", "state = 'SYNCD'", "activity = 'asleep'", "activity = NULL", "pk = x'FF'"])
    func `an unknown value in the file is reported as damage and does not crash`(change: String) throws {
        let store = try self.folder.store()
        try store.commit { (store) throws(TidemarkError) in try store.save(edited("1"), in: "c") }
        // STRICT refuses other types, so a cast makes the text invalid.
        try store.database.execute("UPDATE record SET \(change.replacing("x'FF'", with: "CAST(x'FF' AS TEXT)"))")
        let error = try #require(throws: TidemarkError.self) { _ = try store.pks() }
        #expect(error.code == .storeCorrupt)
    }

    @Test func `SYNCED is read as SYNCD`() throws {
        let store = try self.folder.store()
        try store.commit { (store) throws(TidemarkError) in try store.save(edited("1"), in: "c") }
        try store.database.execute("UPDATE record SET state = 'SYNCED', activity = NULL")
        #expect(try store.record("1", in: "c")?.phase == .synced)
    }

    @Test(arguments: [
        (DatabaseError.Code.busy, TidemarkError.Code.storeBusy), (.full, .storeFull), (.corrupt, .storeCorrupt),
        (.notADatabase, .notAStore), (.foreignDatabase, .notAStore), (.newerVersion, .storeNewer),
        (.readOnly, .storeReadOnly), (.cannotOpen, .storeUnavailable), (.io, .storeUnavailable),
        (.outOfMemory, .storeUnavailable), (.tooLarge, .invalidContent), (.unexpectedValue, .storeCorrupt),
    ])
    func `each failure of the database has its code and keeps its message`(
        code: DatabaseError.Code, expected: TidemarkError.Code
    ) {
        let error = TidemarkError(DatabaseError(code: code, message: "a.db: why. Do this."))
        #expect(error.code == expected)
        #expect(error.message == "a.db: why. Do this.")
        #expect((error.cause as? DatabaseError)?.code == code)
    }

    @Test func `a read-only store refuses a commit and keeps its records`() throws {
        let store = try self.folder.store()
        try store.commit { (store) throws(TidemarkError) in try store.save(edited("1"), in: "c") }
        try store.database.execute("PRAGMA query_only = ON")
        let error = try #require(throws: TidemarkError.self) {
            try store.commit { (store) throws(TidemarkError) in try store.save(edited("2"), in: "c") }
        }
        #expect(error.code == .storeReadOnly)
        #expect(error.message.contains("make the file and its folder writable"))
        #expect(try store.pks() == ["1"])
    }

    @Test(
        .enabled(if: WriteProtection.isPossible, "the superuser may write everything here"), arguments: ["a.db", "."])
    func `a read-only file or folder is reported as such`(part: String) throws {
        try self.folder.store().close()
        let protection = try #require(WriteProtection(self.folder.path(part)))
        let error = try self.failure { try self.folder.store() }
        protection.end()
        #expect(error.code == .storeReadOnly)
        #expect(error.message.contains(part == "." ? "a.db: its folder can't be written (" : "a.db: the file can't be"))
        #expect(error.message.contains("Make the file and its folder writable"))
        try self.folder.store().close()
    }

    @Test(.enabled(if: WriteProtection.isPossible, "the superuser may write everything here"))
    func `a read-only folder refuses a new store`() throws {
        let protection = try #require(WriteProtection(self.folder.url.path))
        let error = try self.failure { try self.folder.store() }
        protection.end()
        #expect(error.code == .storeReadOnly)
        #expect(error.message.contains("a.db: its folder can't be written ("))
        try self.folder.store().close()
    }

    @Test func `a closed store reports that it is closed`() throws {
        let store = try self.folder.store()
        store.close()
        let error = try #require(throws: TidemarkError.self) { _ = try store.setting("a") }
        #expect(error.message.contains("closed"))
    }
}
