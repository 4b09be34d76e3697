import Observation
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct LiveListEdgeTests {
    @Test func `hasMore becomes false when the last record beyond the list is deleted`() async throws {
        let shelf = try await Shelf(["a": "A", "b": "B", "c": "C"])
        var lists = shelf.books.observe(RecordQuery(), limit: 2).makeAsyncIterator()
        #expect(try await lists.next()?.hasMore == true)
        try await shelf.books["c"].delete()
        try await shelf.books["a"].edit { $0.title = "AA" }
        let list = try #require(try await lists.next())
        #expect(list.records.map(\.pk) == ["a", "b"])
        #expect(!list.hasMore)
    }

    @Test @MainActor func `a model that shows all it can is shown again`() async throws {
        let server = try InProcessServer()
        var configuration = SyncConfiguration()
        configuration.limits.queries.window = 20
        let client = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(server), configuration: configuration, time: server.clock,
            seed: 1)
        let books = client["books"]
        try await books.upsert((0..<40).map { RecordInput(pk: "\($0)", content: ["copies": JSON($0)]) })
        let model = RecordListModel(books, RecordQuery(), limit: 8)
        let view = Task { await model.follow() }
        for count in [8, 16, 20] {
            await self.until { model.records.count == count }
            model.showMore()
        }
        view.cancel()
        await view.value
        try await books["0"].delete()
        let again = Task { await model.follow() }
        await self.until { model.records.first?.pk == "1" || model.failure != nil }
        again.cancel()
        #expect(model.failure == nil)
        #expect(model.records.count == 20)
    }

    @MainActor private func until(_ isSo: @MainActor () -> Bool) async {
        while true {
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            if withObservationTracking(isSo, onChange: { change.yield() }) { return }
            for await _ in changes { break }
        }
    }

    @Test @MainActor func `a query whose text differs in normalization only is another query`() async throws {
        let shelf = try await Shelf(["a": "\u{E9}", "b": "e\u{301}"])
        let title = JSONField<String>("/title")
        let model = RecordListModel(shelf.books, RecordQuery(where: title.startsWith("\u{E9}")))
        let view = Task { await model.follow() }
        await self.until { model.records.map(\.pk) == ["a"] }
        model.query = RecordQuery(where: title.startsWith("e\u{301}"))
        await self.until { model.records.map(\.pk) == ["b"] }
        view.cancel()
        #expect(RecordQuery(order: [.ascending("/\u{E9}")]) != RecordQuery(order: [.ascending("/e\u{301}")]))
    }
}
