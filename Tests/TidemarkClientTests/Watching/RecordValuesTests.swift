import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: the values of one record, now and after each change.
@Suite(.timeLimit(.minutes(10))) struct RecordValuesTests {
    @Test func `a value is printed with its pk and phase`() {
        let value = RecordValue(pk: "a", phase: .synced, value: 1)
        #expect("\(value)".contains(#"(pk: "a", phase: "#))
        #expect("\(value)".contains("value: 1"))
    }

    typealias Book = Shelf.Book

    @Test func `values of a record begin with the current one, and show its phase`() async throws {
        let shelf = try await Shelf()
        var values = shelf.books["a"].of(Book.self).observe().makeAsyncIterator()
        let first = try #require(try await values.next())
        #expect(first == nil, "there is no such record")
        try await shelf.books.create(["title": "Emma"], pk: "a")
        let made = try #require(try await values.next().flatMap(\.self))
        #expect(made.value == Book(title: "Emma"))
        #expect(made.phase == .created(.idle))
        _ = try await shelf.client.sync()
        #expect(try await values.next()??.phase == .synced)
        try await shelf.books["a"].edit { $0.title = 7 }
        try await shelf.books["a"].delete()
        let deleted = try #require(try await values.next())
        #expect(deleted == nil)
        try await shelf.books.create(["title": 7], pk: "a")
        do {
            _ = try await values.next()
            Issue.record("a record that does not fit its type was returned")
        } catch {
            #expect((error as? TidemarkError)?.code == .invalidContent)
        }
        #expect(try await values.next() == nil, "the error ends the sequence")
    }

    @Test func `values skip changes of other records, and include a change before the first read`() async throws {
        let shelf = try await Shelf(["a": "Ulysses", "b": "Emma"])
        var values = shelf.books["a"].of(Book.self).observe().makeAsyncIterator()
        try await shelf.books["a"].edit { $0.title = "Dracula" }
        #expect(try await values.next()??.value.title == "Dracula")
        try await shelf.books["b"].edit { $0.title = "Carmilla" }
        try await shelf.books["a"].edit { $0.title = "Emma" }
        #expect(try await values.next()??.value.title == "Emma")
    }

    @Test func `values never miss the last of many changes`() async throws {
        let shelf = try await Shelf(["a": "0"])
        async let written: Void = {
            for number in 1...200 {
                try await shelf.books["a"].edit { $0.title = .string(JSONString("\(number)")) }
            }
        }()
        var last = -1
        for try await book in shelf.books["a"].of(Book.self).observe() {
            let number = try #require((book?.title).flatMap { Int($0) })
            #expect(number > last, "only newer values follow")
            last = number
            if number == 200 { break }
        }
        try await written
        #expect(last == 200)
    }
}

/// Contract §8: the end of a watch, without watchers left behind.
@Suite(.timeLimit(.minutes(10))) struct WatchingEndsTests {
    @Test func `a closed client ends its value streams, and later ones are empty`() async throws {
        let shelf = try await Shelf(["a": "Ulysses"])
        var lists = shelf.books.observe().makeAsyncIterator()
        var values = shelf.books["a"].observe().makeAsyncIterator()
        var statuses = shelf.client.statuses.makeAsyncIterator()
        #expect(try await lists.next()?.records.count == 1)
        #expect(try await values.next() != nil)
        #expect(try await statuses.next()?.unsentCount == 1)
        await shelf.client.close()
        #expect(try await lists.next() == nil)
        #expect(try await values.next() == nil)
        #expect(try await statuses.next() == nil)
        for try await _ in shelf.books.observe() { Issue.record("a closed client shows nothing") }
        for try await _ in shelf.books["a"].observe() { Issue.record("a closed client shows nothing") }
        #expect(await shelf.client.watcherCount == 0)
    }

    @Test func `a closed client ends a wait for values`() async throws {
        let shelf = try await Shelf()
        async let count = {
            var count = 0
            for try await _ in shelf.books.observe() { count += 1 }
            return count
        }()
        await eventually("the values are watched") { await shelf.client.watcherCount > 0 }
        await shelf.client.close()
        #expect(try await count <= 1)
    }

    @Test func `a cancelled or finished reader leaves no watcher behind`() async throws {
        let shelf = try await Shelf(["a": "Ulysses"])
        let tasks = [
            Task { for try await _ in shelf.books.observe() {} },
            Task { for try await _ in shelf.books["a"].observe() {} },
            Task { for try await _ in shelf.client.statuses {} },
            Task { for await _ in shelf.books.changes {} },
        ]
        await eventually("all four are watched") { await shelf.client.watcherCount == tasks.count }
        for task in tasks { task.cancel() }
        for task in tasks { try await task.value }
        #expect(await shelf.client.watcherCount == 0)
        for try await _ in shelf.books.observe() { break }
        #expect(await shelf.client.watcherCount == 0)
        #expect(try await shelf.books["a"].get() == ["title": "Ulysses"], "the client still works")
    }

    @Test func `a sequence that is not iterated watches nothing`() async throws {
        let shelf = try await Shelf()
        let values = shelf.books.observe()
        #expect(await shelf.client.watcherCount == 0)
        for try await list in values {
            #expect(list.records.isEmpty)
            break
        }
    }
}
