import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// SPEC §8: what the app sees of a collection, now and whenever it changes.
@Suite(.timeLimit(.minutes(2))) struct CollectionValuesTests {
    typealias Book = Shelf.Book

    @Test func `it begins with what is there, and shows what the app and the server change`() async throws {
        let shelf = try await Shelf(["a": "Ulysses"])
        _ = try await shelf.client.sync()
        var lists = shelf.books.values(as: Book.self).makeAsyncIterator()
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
        #expect(list.map(\.phase) == [.synced, .edited(.idle)])
    }

    @Test func `what changes before the first look is in the first list, and not told twice`() async throws {
        let shelf = try await Shelf(["a": "Ulysses"])
        var lists = shelf.books.values(as: Book.self).makeAsyncIterator()
        #expect(await shelf.client.watcherCount == 1, "it watches before it reads: no change falls between the two")
        try await shelf.books["a"].edit { $0.title = "Emma" }
        #expect(try await lists.next()?.shown == ["a Emma"])
        try await shelf.books["a"].edit { $0.title = "Dracula" }
        #expect(try await lists.next()?.shown == ["a Dracula"])
    }

    @Test func `who is slow gets the newest list only`() async throws {
        let shelf = try await Shelf(["a": "1"])
        var lists = shelf.books.values(as: Book.self).makeAsyncIterator()
        _ = try await lists.next()
        for title in ["2", "3", "4"] { try await shelf.books["a"].edit { $0.title = .string(JSONString(title)) } }
        #expect(try await lists.next()?.shown == ["a 4"])
        try await shelf.books.create(["title": "end"], pk: "b")
        #expect(try await lists.next()?.shown == ["a 4", "b end"])
    }

    @Test func `more changes than are kept are not missed`() async throws {
        let shelf = try await Shelf()
        var lists = shelf.books.values(as: Book.self).makeAsyncIterator()
        #expect(try await lists.next()?.isEmpty == true)
        let count = CollectionChange.limit + 1
        try await shelf.books.upsert((1...count).map { NamedContent(pk: "\($0)", content: ["title": "new"]) })
        #expect(try await lists.next()?.count == count)
        try await shelf.books["7"].delete()
        #expect(try await lists.next()?.count == count - 1)
    }

    @Test func `a record that does not fit is in the list, and comes right when it is mended`() async throws {
        let shelf = try await Shelf(["a": "Ulysses", "b": 7])
        var lists = shelf.books.values(as: Book.self).makeAsyncIterator()
        #expect(try await lists.next()?.shown == ["a Ulysses", "b invalidContent"])
        try await shelf.books["b"].edit { $0.title = "Emma" }
        #expect(try await lists.next()?.shown == ["a Ulysses", "b Emma"])
    }

    @Test func `what changes together is seen together, whoever looks when`() async throws {
        let shelf = try await Shelf(["a": "0", "b": "0"])
        async let written: Void = {
            for number in 1...100 {
                let title = JSON.string(JSONString("\(number)"))
                try await shelf.books.upsert(["a", "b"].map { NamedContent(pk: $0, content: ["title": title]) })
            }
        }()
        var last: [String] = []
        for try await books in shelf.books.values(as: Book.self) {
            last = try books.map { try $0.value.title }
            #expect(last[0] == last[1])
            if last[0] == "100" { break }
        }
        try await written
        #expect(last == ["100", "100"], "the last change is never missed")
    }

    @Test func `a step that the app is not told of still shows where the record stands`() async throws {
        let held = try HeldClient()
        let (network, client) = (held.network, held.client)
        let notes = client["notes"]
        try await notes.create(["n": 1], pk: "42")
        async let report = client.sync(["notes"])
        let request = try await network.next()
        let id = try #require(try JSON(parsing: request.request.frozen[0])["request_id"]?.string)
        request.answer(with: .success(Self.refusal(of: id)))
        #expect(try await report.outcome == .held)
        var lists = notes.values().makeAsyncIterator()
        #expect(try await lists.next()?.map(\.phase) == [.created(.held)])
        try await notes["42"].release()
        // Another change wakes in any case, and would show where this one is missed.
        try await notes.create([:], pk: "43")
        #expect(try await lists.next()?.map(\.phase) == [.created(.idle), .created(.idle)])
    }

    @Test func `a collection that is forgotten leaves an empty list`() async throws {
        let shelf = try await Shelf(["a": "Ulysses"])
        _ = try await shelf.client.sync()
        var lists = shelf.books.values(as: Book.self).makeAsyncIterator()
        #expect(try await lists.next()?.count == 1)
        try await shelf.books.forget()
        #expect(try await lists.next()?.isEmpty == true)
    }

    @Test func `collections do not see each other, nor names that only look alike`() async throws {
        let shelf = try await Shelf()
        var lists = shelf.client["caf\u{E9}"].values().makeAsyncIterator()
        #expect(try await lists.next()?.isEmpty == true)
        try await shelf.client["cafe\u{301}"].create(["n": 1], pk: "other")
        try await shelf.client["caf\u{E9}"].create(["n": 1], pk: "own")
        #expect(try await lists.next()?.map(\.pk) == ["own"])
    }

    /// An answer that refuses an edit.
    private static func refusal(of id: String) -> ExchangeAnswer {
        let problem = ProblemDetails(status: 422, title: "no", document: ["title": "no"])
        return ExchangeAnswer(
            results: [UploadResult(requestID: id, outcome: .refused(problem))], watermark: "1", epoch: "e", account: "a"
        )
    }
}
