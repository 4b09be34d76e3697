import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// Contract §8: the values of a collection, now and after each change.
@Suite(.timeLimit(.minutes(10))) struct CollectionValuesTests {
    typealias Book = Shelf.Book

    @Test func `values begin with the current list, and show changes by app and server`() async throws {
        let shelf = try await Shelf(["a": "Ulysses"])
        _ = try await shelf.client.sync()
        var lists = shelf.books.of(Book.self).observe().makeAsyncIterator()
        #expect(try await lists.next()?.shown == ["a Ulysses"])
        try await shelf.books.create(["title": "Dracula"], pk: "c")
        #expect(try await lists.next()?.shown == ["a Ulysses", "c Dracula"])
        let other = try shelf.another()
        try await other["books"].create(["title": "Emma"], pk: "b")
        _ = try await other.sync()
        _ = try await shelf.client.sync()
        #expect(try await lists.next()?.shown == ["a Ulysses", "b Emma", "c Dracula"])
        try await shelf.books["a"].delete()
        try await shelf.books["c"].edit { $0.title = "Carmilla" }
        let list = try #require(try await lists.next())
        #expect(list.shown == ["b Emma", "c Carmilla"])
        #expect(list.records.map(\.phase) == [.synced, .edited(.idle)])
    }

    @Test func `a change before the first read is in the first list, and is not repeated`() async throws {
        let shelf = try await Shelf(["a": "Ulysses"])
        var lists = shelf.books.of(Book.self).observe().makeAsyncIterator()
        #expect(await shelf.client.watcherCount == 1, "it watches before it reads, so that it misses no change")
        try await shelf.books["a"].edit { $0.title = "Emma" }
        #expect(try await lists.next()?.shown == ["a Emma"])
        try await shelf.books["a"].edit { $0.title = "Dracula" }
        #expect(try await lists.next()?.shown == ["a Dracula"])
    }

    @Test func `a slow reader gets the newest list only`() async throws {
        let shelf = try await Shelf(["a": "1"])
        var lists = shelf.books.of(Book.self).observe().makeAsyncIterator()
        _ = try await lists.next()
        for title in ["2", "3", "4"] { try await shelf.books["a"].edit { $0.title = .string(JSONString(title)) } }
        #expect(try await lists.next()?.shown == ["a 4"])
        try await shelf.books.create(["title": "end"], pk: "b")
        #expect(try await lists.next()?.shown == ["a 4", "b end"])
    }

    @Test func `a reader misses nothing when more changes come than are kept`() async throws {
        let shelf = try await Shelf()
        var lists = shelf.books.of(Book.self).observe().makeAsyncIterator()
        #expect(try await lists.next()?.records.isEmpty == true)
        let count = CollectionChange.limit + 1
        try await shelf.books.upsert((1...count).map { RecordInput(pk: "\($0)", content: ["title": "new"]) })
        #expect(try await lists.next()?.records.count == count)
        try await shelf.books["7"].delete()
        #expect(try await lists.next()?.records.count == count - 1)
    }

    @Test func `a record that does not fit its type is listed, and is valid once corrected`() async throws {
        let shelf = try await Shelf(["a": "Ulysses", "b": 7])
        var lists = shelf.books.of(Book.self).observe().makeAsyncIterator()
        #expect(try await lists.next()?.shown == ["a Ulysses", "b invalidContent"])
        try await shelf.books["b"].edit { $0.title = "Emma" }
        let valid = try #require(try await lists.next())
        #expect(valid.shown == ["a Ulysses", "b Emma"])
        #expect(valid.difference == .init(inserted: [1]))
        try await shelf.books["a"].edit { $0.title = 8 }
        let unfit = try #require(try await lists.next())
        #expect(unfit.shown == ["b Emma", "a invalidContent"])
        #expect(unfit.difference == .init(removed: [0]))
        try await shelf.books["a"].edit { $0.title = 9 }
        let other = try #require(try await lists.next(), "an unreadable record that changed is told")
        #expect(other.difference.isEmpty && other.unreadable.count == 1)
    }

    @Test func `records that change together are shown together`() async throws {
        let shelf = try await Shelf(["a": "0", "b": "0"])
        async let written: Void = {
            for number in 1...100 {
                let title = JSON.string(JSONString("\(number)"))
                try await shelf.books.upsert(["a", "b"].map { RecordInput(pk: $0, content: ["title": title]) })
            }
        }()
        var last: [String] = []
        for try await books in shelf.books.of(Book.self).observe() {
            last = books.records.map(\.title)
            #expect(last[0] == last[1])
            if last[0] == "100" { break }
        }
        try await written
        #expect(last == ["100", "100"], "the last change is never missed")
    }

    @Test func `a list that is read page by page is of one moment`() async throws {
        let shelf = try await Shelf()
        // The first record and the last one are on different pages.
        let pks = (0..<600).map { "\(1_000 + $0)" }
        try await shelf.books.upsert(pks.map { RecordInput(pk: $0, content: ["title": "0"]) })
        let written = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                let title = JSON.string(JSONString("\(number)"))
                try await shelf.books.upsert([0, 599].map { RecordInput(pk: pks[$0], content: ["title": title]) })
            }
        }
        for _ in 0..<25 {
            var lists = shelf.books.of(Book.self).observe().makeAsyncIterator()
            let titles = try #require(try await lists.next()).records.map(\.title)
            #expect(titles.first == titles.last)
        }
        written.cancel()
        try await written.value
    }

    @Test func `a phase change without a notification is still shown`() async throws {
        let held = try HeldClient()
        let (network, client) = (held.network, held.client)
        let notes = client["notes"]
        try await notes.create(["n": 1], pk: "42")
        async let report = client.sync(["notes"])
        let request = try await network.next()
        let id = try #require(try JSON(parsing: request.request.encodedEdit[0])["request_id"]?.string)
        request.answer(with: .success(Self.refusal(of: id)))
        #expect(try await report.outcome == .held)
        var lists = notes.observe().makeAsyncIterator()
        #expect(try await lists.next()?.records.map(\.phase) == [.created(.held)])
        try await notes["42"].retry()
        // This change wakes the reader in any case; if the release were missed, the list would show it.
        try await notes.create([:], pk: "43")
        #expect(try await lists.next()?.records.map(\.phase) == [.created(.idle), .created(.idle)])
    }

    @Test func `a forgotten collection leaves an empty list`() async throws {
        let shelf = try await Shelf(["a": "Ulysses"])
        _ = try await shelf.client.sync()
        var lists = shelf.books.of(Book.self).observe().makeAsyncIterator()
        #expect(try await lists.next()?.records.count == 1)
        try await shelf.books.forget()
        #expect(try await lists.next()?.records.isEmpty == true)
    }

    @Test func `a collection shows no record of another collection, even with a look-alike name`() async throws {
        let shelf = try await Shelf()
        var lists = shelf.client["caf\u{E9}"].observe().makeAsyncIterator()
        #expect(try await lists.next()?.records.isEmpty == true)
        try await shelf.client["cafe\u{301}"].create(["n": 1], pk: "other")
        try await shelf.client["caf\u{E9}"].create(["n": 1], pk: "own")
        #expect(try await lists.next()?.records.map(\.pk) == ["own"])
    }

    /// An answer that refuses an edit.
    private static func refusal(of id: String) -> ExchangeAnswer {
        let problem = ProblemDetails(status: 422, title: "no", document: ["title": "no"])
        return ExchangeAnswer(
            results: [UploadResult(requestID: id, outcome: .refused(problem))], cursor: "1", epoch: "e", account: "a"
        )
    }
}
