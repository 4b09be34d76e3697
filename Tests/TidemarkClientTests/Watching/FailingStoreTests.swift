import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: sequences and models while the store can't be read.
@Suite(.timeLimit(.minutes(10))) struct FailingStoreTests {
    let disk = Disk()
    let client: SyncClient
    var notes: SyncCollection<JSON> { self.client["notes"] }

    init() throws {
        let server = try InProcessServer()
        self.client = try SyncClient(
            store: UnreadableStore(on: self.disk), remote: InProcessRemote(server),
            configuration: SyncConfiguration(), time: server.clock, seed: 1)
    }

    private func breakDisk() {
        self.disk.fail(with: TidemarkError(.storeUnavailable, "The disk does not answer."))
    }

    private func code(_ body: () async throws -> Void) async -> TidemarkError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? TidemarkError)?.code
        }
    }

    @Test func `the sequences throw the store's error, and end`() async throws {
        var lists = self.notes.observe().makeAsyncIterator()
        var values = self.notes["1"].observe().makeAsyncIterator()
        var statuses = self.client.statuses.makeAsyncIterator()
        // No collection is known yet, so the status reads no record.
        #expect(try await statuses.next()?.isInSync == true)
        self.breakDisk()
        let listsCode = await self.code { _ = try await lists.next(isolation: #isolation) }
        #expect(listsCode == .storeUnavailable)
        let valuesCode = await self.code { _ = try await values.next(isolation: #isolation) }
        #expect(valuesCode == .storeUnavailable)
        #expect(try await lists.next() == nil)
        #expect(try await values.next() == nil)
        self.disk.fail(with: nil)
        try await self.notes.create([:], pk: "1")
        self.breakDisk()
        let statusesCode = await self.code { _ = try await statuses.next(isolation: #isolation) }
        #expect(statusesCode == .storeUnavailable)
        #expect(await self.client.watcherCount == 0)
    }

    @MainActor
    @Test func `a model reports why it stopped, and the next follow continues`() async throws {
        try await self.notes.create(["n": 1], pk: "1")
        let list = RecordListModel(self.notes)
        let record = RecordModel(self.notes["1"])
        let status = StatusModel(self.client)
        self.breakDisk()
        await list.follow()
        await record.follow()
        await status.follow()
        let failures = [list.failure, record.failure, status.failure]
        #expect(failures.map { $0?.code } == [.storeUnavailable, .storeUnavailable, .storeUnavailable])
        self.disk.fail(with: nil)
        let views = [Task { await list.follow() }, Task { await record.follow() }, Task { await status.follow() }]
        await eventually("all three models are loaded") { list.isLoaded && record.isLoaded && status.status != nil }
        #expect(list.failure == nil)
        #expect(list.records.count == 1)
        await self.client.close()
        for view in views { await view.value }
    }
}
