import Synchronization
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: many records as values of an app's type.
@Suite(.timeLimit(.minutes(10))) struct ReadingManyTests {
    @Test func `all returns the visible records by pk, without those deleted here`() async throws {
        let shelf = try await Shelf(["b": "Emma", "a": "Ulysses", "c": "Dracula"])
        try await shelf.books["c"].delete()
        let books = try await shelf.books.of(Shelf.Book.self).all().records
        #expect(books.shown == ["a Ulysses", "b Emma"])
        #expect(books.map(\.phase) == [.created(.idle), .created(.idle)])
        #expect(books[1].value == Shelf.Book(title: "Emma"))
    }

    @Test func `a record that does not fit its type is listed with its pk, and hides no record`() async throws {
        let shelf = try await Shelf(["a": "Ulysses", "b": 7, "c": "Dracula"])
        let books = try await shelf.books.of(Shelf.Book.self).all()
        #expect(books.records.shown == ["a Ulysses", "c Dracula"])
        #expect(books.unreadable.map(\.pk) == ["b"])
        #expect(books.unreadable.first?.error.message.hasPrefix("“b” in books is not a Book: ") == true)
        #expect(books.unreadable.first?.phase == .created(.idle))
    }

    @Test func `records that a closure returns one by one are stored together, or none`() async throws {
        let shelf = try await Shelf(["a": "Ulysses"])
        let titles = Mutex(["b": "Emma", "a": "Dracula"])
        let count = try await shelf.books.upsert(from: { () throws(TidemarkError) in
            titles.withLock { $0.popFirst() }.map { RecordInput(pk: $0.key, content: ["title": JSON($0.value)]) }
        })
        #expect(count.created == 1 && count.edited == 1)
        let inputs = Mutex([RecordInput(pk: "c", content: ["title": "Persuasion"])])
        let error = await #expect(throws: TidemarkError.self) {
            try await shelf.books.upsert(from: { () throws(TidemarkError) in
                guard let input = inputs.withLock({ $0.popLast() }) else {
                    throw TidemarkError(.noSuchRecord, "The file ends.")
                }
                return input
            })
        }
        #expect(error?.message == "The file ends.")
        #expect(try await shelf.books.all().records.map(\.pk) == ["a", "b"])
    }

    @Test func `look-alike pks are two records in a list`() async throws {
        let shelf = try await Shelf()
        for pk in ["\u{E9}", "e\u{301}"] { try await shelf.books.create(["title": "Emma"], pk: pk) }
        let books = try await shelf.books.of(Shelf.Book.self).all().records
        #expect(Set(books.map(\.id)).count == 2)
    }

    @Test(arguments: [1, 2, 3, 4, 5])
    func `all pages but the last are full, and each record is on one page`(size: Int) async throws {
        let shelf = try await Shelf(["a": "A", "b": "B", "c": "C", "d": "D"])
        var pages: [[String]] = []
        for try await page in shelf.books.of(Shelf.Book.self).pages(of: size) { pages.append(page.records.map(\.pk)) }
        #expect(pages.flatMap(\.self) == ["a", "b", "c", "d"])
        #expect(pages.dropLast().allSatisfy { $0.count == size })
        #expect(pages.last.map { (1...size).contains($0.count) } == true)
    }

    @Test func `an empty collection has no page`() async throws {
        let shelf = try await Shelf()
        for try await _ in shelf.books.pages() { Issue.record("there is nothing") }
        #expect(try await shelf.books.all().records.isEmpty)
    }

    @Test func `JSON is read unchanged, with the text of its numbers`() async throws {
        let shelf = try await Shelf()
        try await shelf.books.create(try JSON(parsing: #"{"price":1.10}"#), pk: "a")
        #expect(try await shelf.books.all().records.first?.value.text == #"{"price":1.10}"#)
    }

    @Test func `two values of a record are equal if pk, phase and value are`() throws {
        typealias Value = RecordValue<String>
        let value = Value(pk: "1", phase: .synced, value: "a")
        #expect(value == Value(pk: "1", phase: .synced, value: "a"))
        #expect(value != Value(pk: "2", phase: .synced, value: "a"))
        #expect(value != Value(pk: "1", phase: .edited(.idle), value: "a"))
        #expect(value != Value(pk: "1", phase: .synced, value: "b"))
    }

    @Test func `a record has the members of its value, of a type and of JSON`() async throws {
        let shelf = try await Shelf()
        let books = shelf.client.collection("books", of: Shelf.Book.self)
        let made = try await books.create(Shelf.Book(title: "Emma"), pk: "a")
        #expect(made.pk == "a")
        try await books["a"].edit { $0.copies = 2 }
        #expect(try await books["a"].get() == Shelf.Book(title: "Emma", copies: 2))
        let book = try #require(try await books.all().records.first)
        #expect(book.title == "Emma" && book.copies == 2 && book.isPending)
        let record = try #require(try await shelf.books.all().records.first)
        #expect(record.title == "Emma" && record.pages == nil)
    }

    @Test func `an upsert of values keeps members that the type does not have`() async throws {
        let shelf = try await Shelf()
        try await shelf.books.create(["title": "Emma", "copies": 1, "shelf": "E"], pk: "Emma")
        try await shelf.books.create(["title": 7, "shelf": "D"], pk: "Dracula")
        let books = shelf.client.collection("books", of: Shelf.Book.self)
        let count = try await books.upsert(
            ["Emma", "Dracula", "Ulysses"].map { Shelf.Book(title: $0) }, id: \.title)
        #expect((count.created, count.edited, count.unchanged) == (1, 2, 0))
        #expect(try await shelf.books["Emma"].get() == ["title": "Emma", "shelf": "E"])
        #expect(try await shelf.books["Dracula"].get() == ["title": "Dracula", "shelf": "D"])
        #expect(try await books.upsert([Shelf.Book(title: "Emma")], id: \.title).unchanged == 1)
        // A member that the type knows, and that the value lacks, can't stay in a form that the type does not read.
        try await shelf.books.create(["title": "Carmilla", "copies": "many", "shelf": "C"], pk: "Carmilla")
        #expect(try await books.upsert([Shelf.Book(title: "Carmilla")], id: \.title).edited == 1)
        #expect(try await shelf.books["Carmilla"].get() == ["title": "Carmilla"])
        #expect(try await shelf.books["Carmilla"].journal.first?.lostValue?.shelf == "C")
    }

    @Test func `the undo of a create deletes the record, unless it was changed since`() async throws {
        let shelf = try await Shelf()
        let emma = try await shelf.books.create(["title": "Emma"])
        try await shelf.books[emma.pk].undo(emma)
        #expect(try await shelf.books[emma.pk].get() == nil)
        let other = try await shelf.books.create(["title": "Ulysses"])
        try await shelf.books[other.pk].edit { $0.copies = 2 }
        let error = await #expect(throws: TidemarkError.self) { try await shelf.books[other.pk].undo(other) }
        #expect(error?.code == .editOvertaken)
    }

    @Test func `a cancelled task throws instead of reading a part of the collection`() async throws {
        let shelf = try await Shelf(["a": "A"])
        let task = Task {
            for await _ in AsyncStream(Void.self, { _ in }) {}
            return try await shelf.books.of(Shelf.Book.self).all().records.count
        }
        task.cancel()
        let error = await #expect(throws: TidemarkError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }
}
