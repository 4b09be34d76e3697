import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// SPEC §8: the records of a query, now and after each change.
@Suite(.timeLimit(.minutes(2))) struct LiveListTests {
    private static let byCopies = RecordQuery(order: [.descending("/copies")])

    @Test func `a list begins with the first records of its query, and says whether there are more`() async throws {
        let shelf = try await Shelf(["a": "A", "b": "B", "c": "C"])
        var lists = shelf.books.observe(RecordQuery(order: [.descending("/title")]), limit: 2).makeAsyncIterator()
        let list = try #require(try await lists.next())
        #expect(list.records.map(\.pk) == ["c", "b"])
        #expect(list.hasMore)
        #expect(list.difference == .init(inserted: [0, 1]))
    }

    @Test func `a list names the inserted, removed, moved and changed records`() async throws {
        let shelf = try await Shelf()
        try await shelf.books.upsert(
            [("a", 5), ("b", 4), ("c", 3), ("d", 2)].map { RecordInput(pk: $0.0, content: ["copies": JSON($0.1)]) })
        var lists = shelf.books.observe(Self.byCopies, limit: 10).makeAsyncIterator()
        #expect(try await lists.next()?.records.map(\.pk) == ["a", "b", "c", "d"])
        try await shelf.books["a"].edit { $0.copies = 1 }
        var list = try #require(try await lists.next())
        #expect(list.records.map(\.pk) == ["b", "c", "d", "a"])
        #expect(list.difference == .init(moved: [.init(from: 0, to: 3)], changed: [3]))
        try await shelf.books["c"].delete()
        try await shelf.books.create(["copies": 9], pk: "e")
        list = try #require(try await lists.next())
        #expect(list.records.map(\.pk) == ["e", "b", "d", "a"])
        #expect(list.difference == .init(removed: [1], inserted: [0]))
    }

    @Test func `a full list that loses a record reads the next one`() async throws {
        let shelf = try await Shelf()
        try await shelf.books.upsert((1...9).map { RecordInput(pk: "\($0)", content: ["copies": JSON($0)]) })
        var lists = shelf.books.observe(Self.byCopies, limit: 3).makeAsyncIterator()
        #expect(try await lists.next()?.records.map(\.pk) == ["9", "8", "7"])
        try await shelf.books["8"].edit { $0.copies = 0 }
        let list = try #require(try await lists.next())
        #expect(list.records.map(\.pk) == ["9", "7", "6"])
        #expect(list.difference == .init(removed: [1], inserted: [2]))
    }

    @Test func `a change of activity alone is told only if the caller asks for it`() async throws {
        for isTold in [true, false] {
            let held = try HeldClient()
            let notes = held.client["notes"]
            try await notes.create(["n": 1], pk: "42")
            var lists = notes.observe(RecordQuery(), tellingActivity: isTold).makeAsyncIterator()
            #expect(try await lists.next()?.records.map(\.phase) == [.created(.idle)])
            async let report = held.client.sync(["notes"])
            let request = try await held.network.next()
            if isTold {
                let list = try #require(try await lists.next())
                #expect(list.records.map(\.phase) == [.created(.uploading)])
                #expect(list.difference == .init(changed: [0]))
            }
            // This change wakes the reader in any case.
            try await notes.create(["n": 2], pk: "43")
            let list = try #require(try await lists.next())
            #expect(list.records.map(\.phase) == [.created(.uploading), .created(.idle)])
            #expect(list.difference == .init(inserted: [1]))
            request.answer(with: .failure(RemoteFailure(.offline, "no network")))
            _ = try await report
        }
    }

    @Test func `a list is read again when more changes come than are kept`() async throws {
        let shelf = try await Shelf()
        var lists = shelf.books.observe(Self.byCopies, limit: 10).makeAsyncIterator()
        #expect(try await lists.next()?.records.isEmpty == true)
        let count = CollectionChange.limit + 1
        try await shelf.books.upsert((1...count).map { RecordInput(pk: "\($0)", content: ["copies": JSON($0)]) })
        let list = try #require(try await lists.next())
        #expect(list.records.map(\.pk) == (0..<10).map { "\(count - $0)" })
        #expect(list.hasMore)
    }

    @Test(arguments: [
        RecordQuery(where: JSONField<JSON>("") < 1, order: [.ascending("due")]),
        RecordQuery(where: JSONField<JSON>("/*/*") == 1), RecordQuery(order: [.ascending("/tags/*")]),
    ])
    func `an invalid query is an error of the list, and of a model`(_ query: RecordQuery) async throws {
        let shelf = try await Shelf()
        var lists = shelf.books.observe(query).makeAsyncIterator()
        let error = await #expect(throws: TidemarkError.self) { try await lists.next() }
        #expect(error?.code == .invalidQuery)
        let model = await RecordListModel(shelf.books, query, as: JSON.self)
        await model.follow()
        #expect(await model.failure?.code == .invalidQuery)
    }

    @Test(arguments: 1...40)
    func `a live list equals its query run again, and its differences lead there`(_ seed: UInt64) async throws {
        var story = try await LiveStory(seed: seed)
        try await story.run(changes: 60)
        #expect(story.told > 5, "a story whose list hardly changes shows nothing")
    }
}

/// Random changes of a collection, with one live list.
private struct LiveStory {
    private let shelf: Shelf
    private let other: SyncClient
    private var random: SplitMix64
    private let query: RecordQuery
    private let limit: Int

    /// How many lists were told.
    private(set) var told = 0

    init(seed: UInt64) async throws {
        self.random = SplitMix64(seed: seed)
        self.shelf = try await Shelf()
        self.other = try self.shelf.another()
        let done = JSONField<Bool>("/done")
        let conditions: [RecordQuery.Condition] = [
            .all, done == false, !(done == true), .pending, done.isMissing || done == true,
        ]
        let orders: [[RecordQuery.Order]] = [
            [], [.ascending("/copies")], [.descending("/copies")], [.ascending("/done"), .descending("/copies")],
        ]
        self.query = RecordQuery(
            where: conditions.randomElement(using: &self.random) ?? .all,
            order: orders.randomElement(using: &self.random) ?? [])
        self.limit = [1, 2, 3, 5, 20].randomElement(using: &self.random) ?? 1
    }

    mutating func run(changes: Int) async throws {
        var lists = self.shelf.books.observe(self.query, limit: self.limit, tellingActivity: false).makeAsyncIterator()
        var mirror: [RecordValue<JSON>] = []
        var isFirst = true
        for _ in 0..<changes {
            for _ in 0...Int.random(in: 0...3, using: &self.random) { try await self.change() }
            let page = try await self.shelf.books.page(self.query, limit: self.limit)
            guard isFirst || self.shown(page.records) != self.shown(mirror) else { continue }
            isFirst = false
            let list = try #require(try await lists.next())
            self.told += 1
            #expect(self.shown(list.records) == self.shown(page.records))
            #expect(list.hasMore == (page.next != nil))
            let followed = self.following(list.difference, from: mirror, to: list.records)
            #expect(self.shown(followed) == self.shown(list.records), "\(list.difference)")
            mirror = list.records
        }
    }

    /// What a list has to tell: without the activity.
    private func shown(_ records: [RecordValue<JSON>]) -> [String] {
        records.map { "\($0.pk) \($0.phase.state?.rawValue ?? "") \((try? $0.value.text) ?? "")" }
    }

    /// Takes the steps of a difference by hand. A record that was neither inserted nor changed stays as it was.
    private func following(
        _ difference: RecordList<JSON>.Difference, from old: [RecordValue<JSON>], to new: [RecordValue<JSON>]
    ) -> [RecordValue<JSON>] {
        var records = old
        for index in (difference.removed + difference.moved.map(\.from)).sorted().reversed() {
            records.remove(at: index)
        }
        let moved = Dictionary(uniqueKeysWithValues: difference.moved.map { ($0.to, old[$0.from]) })
        for index in (difference.inserted + difference.moved.map(\.to)).sorted() {
            records.insert(moved[index] ?? new[index], at: index)
        }
        for index in difference.changed { records[index] = new[index] }
        return records
    }

    private mutating func change() async throws {
        let pk = "\(Int.random(in: 1...12, using: &self.random))"
        let books = self.shelf.books
        switch Int.random(in: 0..<10, using: &self.random) {
        case 0...3: try await books.upsert([RecordInput(pk: pk, content: self.content())])
        case 4: if try await books[pk].get() != nil { try await books[pk].delete() }
        case 5, 6:
            let copies = Int.random(in: 0...6, using: &self.random)
            if try await books[pk].get() != nil { try await books[pk].edit { $0.copies = copies } }
        case 7:
            _ = try await self.other.sync()
            try await self.other["books"].upsert([RecordInput(pk: pk, content: self.content())])
            _ = try await self.other.sync()
        default: _ = try await self.shelf.client.sync()
        }
    }

    private mutating func content() -> JSON {
        var content: JSON = ["copies": JSON(Int.random(in: 0...6, using: &self.random))]
        switch Int.random(in: 0..<3, using: &self.random) {
        case 0: content.done = true
        case 1: content.done = false
        default: break
        }
        return content
    }
}
