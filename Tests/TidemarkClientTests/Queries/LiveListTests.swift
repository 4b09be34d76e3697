import CoreSupport
import Foundation
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: the records of a query, now and after each change.
@Suite(.timeLimit(.minutes(10))) struct LiveListTests {
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

    @Test func `a record that moves within a full list is the only one that is read`() async throws {
        let disk = Disk()
        let shelf = try await Shelf(store: UnreadableStore(on: disk))
        try await shelf.books.upsert((1...9).map { RecordInput(pk: "\($0)", content: ["copies": JSON($0)]) })
        var lists = shelf.books.observe(Self.byCopies, limit: 3).makeAsyncIterator()
        #expect(try await lists.next()?.hasMore == true)
        let scans = disk.scans
        #expect(scans > 0)
        try await shelf.books["7"].edit { $0.copies = 10 }
        #expect(try await lists.next()?.records.map(\.pk) == ["7", "9", "8"])
        try await shelf.books["2"].edit { $0.copies = 11 }
        #expect(try await lists.next()?.records.map(\.pk) == ["2", "7", "9"])
        try await shelf.books["1"].delete()
        try await shelf.books["9"].edit { $0.copies = 12 }
        let list = try #require(try await lists.next())
        #expect(list.records.map(\.pk) == ["9", "2", "7"])
        #expect(list.hasMore)
        #expect(disk.scans == scans)
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
        let model = await RecordListModel(shelf.books, query)
        await model.follow()
        #expect(await model.failure?.code == .invalidQuery)
    }

    /// LISTS=10000 is the number of comparisons for `make proof`.
    private static let comparisons = ProcessInfo.processInfo.environment["LISTS"].flatMap(Int.init) ?? 2_400

    @Test(arguments: 1...(Self.comparisons / LiveStory.roundsOfAStory))
    func `a live list equals its query run again, and its differences lead to it`(_ seed: Int) async throws {
        let story = LiveStory(seed: UInt64(seed))
        let ending = try await story.run()
        guard ending.fault != nil else {
            #expect(ending.lists > 5, "a story whose list hardly changes shows nothing")
            return
        }
        let small = try await story.shrunk()
        Issue.record("\(try await small.run().fault ?? "no fault when run again")\n\(small)")
    }
}
