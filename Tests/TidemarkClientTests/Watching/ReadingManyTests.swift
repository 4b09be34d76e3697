import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: many records as values of an app's type.
@Suite(.timeLimit(.minutes(2))) struct ReadingManyTests {
    @Test func `all returns the visible records by pk, without those deleted here`() async throws {
        let shelf = try await Shelf(["b": "Emma", "a": "Ulysses", "c": "Dracula"])
        try await shelf.books["c"].delete()
        let books = try await shelf.books.all(as: Shelf.Book.self)
        #expect(books.shown == ["a Ulysses", "b Emma"])
        #expect(books.map(\.phase) == [.created(.idle), .created(.idle)])
        #expect(try books[1].value == Shelf.Book(title: "Emma"))
    }

    @Test func `a record that does not fit its type is listed with its pk, and hides no record`() async throws {
        let shelf = try await Shelf(["a": "Ulysses", "b": 7, "c": "Dracula"])
        let books = try await shelf.books.all(as: Shelf.Book.self)
        #expect(books.shown == ["a Ulysses", "b invalidContent", "c Dracula"])
        let error = #expect(throws: TidemarkError.self) { try books[1].value }
        #expect(error?.message.hasPrefix("“b” in books is not a Book: ") == true)
    }

    @Test func `look-alike pks are two records in a list`() async throws {
        let shelf = try await Shelf()
        for pk in ["\u{E9}", "e\u{301}"] { try await shelf.books.create(["title": "Emma"], pk: pk) }
        let books = try await shelf.books.all(as: Shelf.Book.self)
        #expect(Set(books.map(\.id)).count == 2)
    }

    @Test(arguments: [1, 2, 3, 4, 5])
    func `all pages but the last are full, and each record is on one page`(size: Int) async throws {
        let shelf = try await Shelf(["a": "A", "b": "B", "c": "C", "d": "D"])
        var pages: [[String]] = []
        for try await page in shelf.books.pages(of: size, as: Shelf.Book.self) { pages.append(page.map(\.pk)) }
        #expect(pages.flatMap(\.self) == ["a", "b", "c", "d"])
        #expect(pages.dropLast().allSatisfy { $0.count == size })
        #expect(pages.last.map { (1...size).contains($0.count) } == true)
    }

    @Test func `an empty collection has no page`() async throws {
        let shelf = try await Shelf()
        for try await _ in shelf.books.pages(as: JSON.self) { Issue.record("there is nothing") }
        #expect(try await shelf.books.all(as: JSON.self).isEmpty)
    }

    @Test func `JSON is read unchanged, with the text of its numbers`() async throws {
        let shelf = try await Shelf()
        try await shelf.books.create(try JSON(parsing: #"{"price":1.10}"#), pk: "a")
        #expect(try await shelf.books.all(as: JSON.self).first?.value.text == #"{"price":1.10}"#)
    }

    @Test func `two values of a record are equal if pk, phase and result are`() throws {
        typealias Value = RecordValue<String>
        func failed(_ message: String) -> Result<String, TidemarkError> {
            .failure(TidemarkError(.invalidContent, message))
        }
        let value = Value(pk: "1", phase: .synced, result: .success("a"))
        #expect(value == Value(pk: "1", phase: .synced, result: .success("a")))
        let others = [
            Value(pk: "2", phase: .synced, result: .success("a")),
            Value(pk: "1", phase: .edited(.idle), result: .success("a")),
            Value(pk: "1", phase: .synced, result: .success("b")), Value(pk: "1", phase: .synced, result: failed("c")),
            Value(pk: "1", phase: .synced, result: failed("d")),
        ]
        for (number, one) in others.enumerated() {
            #expect(one != value)
            for other in others[..<number] { #expect(one != other) }
        }
        #expect(others[3] == Value(pk: "1", phase: .synced, result: failed("c")))
    }

    @Test func `create, get and edit take an app's type by the same label`() async throws {
        let shelf = try await Shelf()
        try await shelf.books.create(Shelf.Book(title: "Emma"), as: Shelf.Book.self, pk: "a")
        try await shelf.books["a"].edit(as: Shelf.Book.self) { $0.copies = 2 }
        #expect(try await shelf.books["a"].get(as: Shelf.Book.self) == Shelf.Book(title: "Emma", copies: 2))
    }

    @Test func `a cancelled task throws instead of reading a part of the collection`() async throws {
        let shelf = try await Shelf(["a": "A"])
        let task = Task {
            for await _ in AsyncStream(Void.self, { _ in }) {}
            return try await shelf.books.all(as: Shelf.Book.self).count
        }
        task.cancel()
        let error = await #expect(throws: TidemarkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }
}
