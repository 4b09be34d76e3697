import Observation
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: models that a view reads.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct ModelTests {
    typealias Book = Shelf.Book

    /// Waits until a condition on observed values holds; checks it again only after a change of these values.
    private func until(_ isSo: @MainActor () -> Bool) async {
        while true {
            let (changes, change) = AsyncStream.makeStream(of: Void.self)
            let isDone = withObservationTracking(isSo) { change.yield() }
            if isDone { return }
            for await _ in changes { break }
        }
    }

    @Test func `a list is read, and drawn again whenever it changes`() async throws {
        let shelf = try await Shelf(["a": "Ulysses"])
        let model = RecordListModel(shelf.books.of(Book.self))
        #expect(model.records.isEmpty)
        #expect(!model.isLoaded)
        let view = Task { await model.follow() }
        await self.until { model.isLoaded }
        #expect(model.records.shown == ["a Ulysses"])
        try await shelf.books.create(["title": "Emma"], pk: "b")
        await self.until { model.records.count == 2 }
        #expect(model.records.shown == ["a Ulysses", "b Emma"])
        view.cancel()
        await view.value
        #expect(await shelf.client.watcherCount == 0, "no watcher is left without the view")
        #expect(model.failure == nil)
    }

    @Test func `a view that reappears begins with the current list`() async throws {
        let shelf = try await Shelf(["a": "Ulysses"])
        let model = RecordListModel(shelf.books.of(Book.self))
        let first = Task { await model.follow() }
        await self.until { model.isLoaded }
        first.cancel()
        await first.value
        try await shelf.books["a"].edit { $0.title = "Emma" }
        #expect(model.records.shown == ["a Ulysses"])
        let second = Task { await model.follow() }
        await self.until { model.records.shown == ["a Emma"] }
        second.cancel()
        await second.value
    }

    @Test func `a list with a query follows another query, more records, and all records`() async throws {
        let shelf = try await Shelf()
        try await shelf.books.upsert(
            (1...7).map { RecordInput(pk: "\($0)", content: ["title": JSON("Book \($0)"), "copies": JSON($0)]) })
        let byCopies = RecordQuery(order: [.descending("/copies")])
        let model = RecordListModel(shelf.books.of(Book.self), byCopies, limit: 2)
        let view = Task { await model.follow() }
        await self.until { model.records.map(\.pk) == ["7", "6"] && model.hasMore }
        model.showMore()
        await self.until { model.records.map(\.pk) == ["7", "6", "5", "4"] }
        try await shelf.books["1"].edit { $0.copies = 9 }
        await self.until { model.records.map(\.pk) == ["1", "7", "6", "5"] }
        model.query = RecordQuery(where: JSONField<String>("/title").contains("BOOK 3", ignoringCase: true))
        await self.until { model.records.map(\.pk) == ["3"] && !model.hasMore }
        model.query = byCopies
        await self.until { model.records.map(\.pk) == ["1", "7"] }
        model.query = nil
        await self.until { model.records.map(\.pk) == (1...7).map(String.init) }
        // The same records, with a limit.
        model.query = RecordQuery()
        await self.until { model.records.map(\.pk) == ["1", "2"] && model.hasMore }
        model.query = byCopies
        await self.until { model.records.map(\.pk) == ["1", "7"] }
        view.cancel()
        await view.value
        #expect(await shelf.client.watcherCount == 0)
        #expect(model.failure == nil)
    }

    @Test func `one record is read, and drawn again whenever it changes`() async throws {
        let shelf = try await Shelf()
        let model = RecordModel(shelf.books["a"].of(Book.self))
        let view = Task { await model.follow() }
        await self.until { model.isLoaded }
        #expect(model.record == nil)
        try await shelf.books.create(["title": "Emma"], pk: "a")
        await self.until { model.record != nil }
        #expect(model.record?.title == "Emma")
        try await shelf.books["a"].edit { $0.title = 7 }
        await self.until { model.unreadable?.error.code == .invalidContent }
        #expect(model.record == nil)
        try await shelf.books["a"].edit { $0.title = "Dracula" }
        await self.until { model.record?.title == "Dracula" }
        #expect(model.unreadable == nil)
        await shelf.client.close()
        await view.value
        #expect(model.failure == nil, "a client that was closed is no failure of the view")
    }

    @Test func `the status is read, and drawn again whenever it changes`() async throws {
        let shelf = try await Shelf()
        let model = StatusModel(shelf.client)
        let view = Task { await model.follow() }
        await self.until { model.status != nil }
        try await shelf.books.create(["title": "Emma"], pk: "a")
        await self.until { model.status?.unsentCount == 1 }
        _ = try await shelf.client.sync()
        await self.until { model.status?.isInSync == true }
        #expect(model.status?.outcome == .inSync)
        view.cancel()
        await view.value
        #expect(await shelf.client.watcherCount == 0)
    }
}
