import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// The collections that a client syncs; a device that only reads a collection syncs it, too.
@Suite(.timeLimit(.minutes(10))) struct NamedCollectionsTests {
    private let server: InProcessServer

    /// The server has a note from another device.
    init() async throws {
        self.server = try InProcessServer()
        let other = try self.client(seed: 2)
        try await other["notes"].create(["n": 7], pk: "7")
        _ = try await other.sync()
    }

    private func client(
        _ names: [String]? = nil, store: sending MemoryStore = MemoryStore(),
        configuration: SyncConfiguration = SyncConfiguration(), seed: UInt64 = 1
    ) throws -> SyncClient {
        try SyncClient(
            store: store, remote: InProcessRemote(self.server), configuration: configuration, collections: names,
            time: self.server.clock, seed: seed)
    }

    /// Ways to read a collection.
    enum Reading: CaseIterable {
        case get, list, all, pages, values, valuesOfOne, changes, status, conflicts, journal

        func read(_ notes: SyncCollection<JSON>) async throws {
            switch self {
            case .get: _ = try await notes["7"].get()
            case .list: _ = try await notes.list()
            case .all: _ = try await notes.all().records
            case .pages: for try await _ in notes.pages() { return }
            case .values: for try await _ in notes.observe() { return }
            case .valuesOfOne: for try await _ in notes["7"].observe() { return }
            case .changes: _ = notes.changes
            case .status: _ = try await notes.status
            case .conflicts: _ = try await notes.conflicts
            case .journal: _ = try await notes.journal
            }
        }
    }

    @Test(arguments: Reading.allCases)
    func `a collection that was only read is synced`(reading: Reading) async throws {
        let client = try self.client()
        try await reading.read(client["notes"])
        #expect(try await client.collectionNames == ["notes"])
        #expect(try await client.sync().outcome == .inSync)
        #expect(try await client["notes"]["7"].get() == ["n": 7])
    }

    @Test func `a read writes nothing to the store`() async throws {
        let store = MemoryStore()
        store.failNextWrite(after: 0, with: TidemarkError(.storeFull, "The disk is full."))
        let client = try self.client(store: store)
        for reading in Reading.allCases { try await reading.read(client["notes"]) }
    }

    @Test func `a sync of no collection is not in sync, and the status says what to do`() async throws {
        let client = try self.client()
        #expect(try await client.sync().outcome == .noCollections)
        #expect(try await client.sync(within: .seconds(1)).outcome == .noCollections)
        guard case .paused(let why) = try await client.status.summary else {
            Issue.record("the status is not paused")
            return
        }
        #expect(why.message.contains("Read a collection"))
    }

    @Test func `a collection that is read while the client runs is synced at once`() async throws {
        let stage = try RunStage(self.server, collections: [])
        try await stage.running {
            try await stage.until { $0.run != nil }
            try await eventually("7 is here") { try await stage.client["notes"]["7"].get() != nil }
            try await stage.until(.polling)
            #expect(stage.remote.count == 1)
            let changes = stage.client["tags"].changes
            try await stage.until { $0.run?.collections.map(\.collection) == ["notes", "tags"] }
            _ = changes
        }
    }

    // MARK: Declared

    @Test func `a client with named collections syncs them before any read`() async throws {
        let client = try self.client(["notes", "tags"])
        #expect(try await client.sync().collections.map(\.collection) == ["notes", "tags"])
        #expect(try await client["notes"]["7"].get() == ["n": 7])
    }

    @Test(arguments: Reading.allCases.filter { $0 != .changes })
    func `a client with named collections refuses other names, and suggests the nearest`(reading: Reading)
        async throws
    {
        let client = try self.client(["lists", "notes"])
        let error = await #expect(throws: TidemarkError.self) { try await reading.read(client["nots"]) }
        #expect(error?.code == .unknownCollection)
        #expect(error?.message.contains("did you mean notes?") == true, "\(error?.message ?? "")")
        #expect(try await client.collectionNames == ["lists", "notes"])
    }

    @Test func `a client with named collections writes, syncs and observes no other collection`() async throws {
        let client = try self.client(["lists", "notes"])
        for body: @Sendable (SyncClient) async throws -> Void in [
            { _ = try await $0["nots"].create([:]) }, { _ = try await $0.sync(["nots"]) },
            { try await $0["nots"]["1"].delete() },
        ] {
            let error = await #expect(throws: TidemarkError.self) { try await body(client) }
            #expect(error?.code == .unknownCollection)
        }
        for await _ in client["nots"].changes { Issue.record("there is nothing to change") }
    }

    @Test func `a client with named collections sends unsent changes of former collections, too`() async throws {
        let disk = MemoryDisk()
        let former = try self.client(store: try disk.open())
        try await former["old"].create(["n": 1], pk: "1")
        await former.close()
        let client = try self.client(["notes"], store: try disk.open())
        #expect(try await client.sync().collections.map(\.collection) == ["notes", "old"])
        #expect(try await client.unsent.isEmpty)
    }

    @Test func `rules for a collection that is not one of the client's are refused`() throws {
        var configuration = SyncConfiguration()
        configuration["itmes"] = CollectionRules()
        let error = #expect(throws: TidemarkError.self) {
            try self.client(["items"], configuration: configuration)
        }
        #expect(error?.code == .unknownCollection)
        #expect(error?.message.contains("did you mean items?") == true)
    }

    // MARK: Forgotten

    @Test func `a forgotten collection stays forgotten while a view still reads it`() async throws {
        let client = try self.client()
        let notes = client["notes"]
        _ = try await notes.list()
        _ = try await client.sync()
        try await notes.forget()
        _ = try await notes.list()
        #expect(try await client.collectionNames == [])
        #expect(try await client.sync().outcome == .noCollections)
        _ = try await notes.sync()
        #expect(try await client.collectionNames == ["notes"])
    }

    @Test func `a forgotten collection is known again when it is observed again`() async throws {
        let client = try self.client()
        _ = try await client["notes"].sync()
        try await client["notes"].forget()
        var lists = client["notes"].observe().makeAsyncIterator()
        #expect(try await lists.next()?.records == [])
        #expect(try await client.collectionNames == ["notes"])
    }

    @Test func `an invalid collection name is refused by reads as by writes`() async throws {
        let client = try self.client()
        let error = await #expect(throws: TidemarkError.self) { try await client[""].list() }
        #expect(error?.code == .invalidName)
        #expect(try await client.collectionNames == [])
    }
}
