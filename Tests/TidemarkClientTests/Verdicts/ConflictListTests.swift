import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: open conflicts on a screen, answered field by field.
@Suite(.timeLimit(.minutes(10))) @MainActor struct ConflictListTests {
    let pair: ClientPair

    init() async throws {
        var configuration = SyncConfiguration()
        configuration["notes"] = CollectionRules(
            fields: try FieldRules([("/price", .ask), ("/lines", .keyed("id")), ("/lines/*/body", .ask)]))
        self.pair = try ClientPair(configuration)
        try await self.pair.phone["notes"].create(
            ["title": "Milk", "price": 1, "lines": [["id": "a", "body": "1"], ["id": "b", "body": "1"]]], pk: "42")
        try await self.pair.settle()
    }

    /// Both devices change the price and the line b; the phone asks.
    private func ask() async throws {
        for (client, value) in [(self.pair.tablet, JSON(2)), (self.pair.phone, JSON(3))] {
            try await client["notes"]["42"].edit { note in
                note.price = value
                note.lines?[1]?.body = value
            }
            _ = try await client.sync(["notes"])
        }
    }

    @Test func `a list follows the conflicts, and an answer by field reaches a keyed list`() async throws {
        let list = ConflictListModel(self.pair.phone)
        let task = Task { await list.follow() }
        await eventually("it is loaded") { list.isLoaded }
        #expect(list.conflicts.isEmpty)
        try await self.ask()
        await eventually("the conflict is listed") { list.conflicts.count == 1 }
        let open = try #require(list.conflicts.first)
        let error = await #expect(throws: TidemarkError.self) { try await open.resolve(choosing: ["/price": .client]) }
        #expect(error?.code == .invalidAnswers, "each open clash needs an answer")
        try await open.resolve(choosing: ["/price": .client, "/lines/b/body": .server])
        await eventually("it is gone") { list.conflicts.isEmpty }
        task.cancel()
        await task.value
        let note = try #require(try await self.pair.note.get())
        #expect(note.price == 3 && note.lines?[1]?.body == 2)
        #expect(await self.pair.phone.watcherCount == 0)
    }

    @Test func `a list of one collection has only its conflicts`() async throws {
        try await self.ask()
        let (notes, other) = (
            ConflictListModel(self.pair.phone["notes"]), ConflictListModel(self.pair.phone["other"])
        )
        let tasks = [Task { await notes.follow() }, Task { await other.follow() }]
        await eventually("both are loaded") { notes.isLoaded && other.isLoaded }
        #expect(notes.conflicts.map(\.conflict.pk) == ["42"])
        #expect(other.conflicts.isEmpty)
        for task in tasks {
            task.cancel()
            await task.value
        }
    }

    @Test func `a conflict is renewed if a side changes`() async throws {
        let list = ConflictListModel(self.pair.phone)
        let task = Task { await list.follow() }
        try await self.ask()
        await eventually("the conflict is listed") { list.conflicts.count == 1 }
        let first = try #require(list.conflicts.first)
        try await self.pair.tablet["notes"]["42"].edit { $0.price = 4 }
        for client in [self.pair.tablet, self.pair.phone] { _ = try await client.sync(["notes"]) }
        await eventually("it has the new value") { list.conflicts.first?.conflict.server?.price == 4 }
        #expect(list.conflicts.count == 1)
        #expect(list.conflicts.first?.id != first.id)
        task.cancel()
        await task.value
    }

    @Test func `a list without the collections of an older app shows the others`() async throws {
        try await self.ask()
        let disk = MemoryDisk()
        let remote = InProcessRemote(self.pair.server)
        func client(_ collections: [String]) throws -> SyncClient {
            try SyncClient(
                store: try disk.open(), remote: remote, configuration: SyncConfiguration(), collections: collections,
                time: self.pair.server.clock, seed: 3)
        }
        let older = try client(["notes", "old"])
        try await older["old"].create(["n": 1], pk: "1")
        _ = try await older.sync()
        await older.close()
        let newer = try client(["notes"])
        #expect(try await newer.collectionNames == ["notes", "old"])
        let list = ConflictListModel(newer)
        let task = Task { await list.follow() }
        await eventually("it is loaded") { list.isLoaded }
        #expect(list.failure == nil)
        task.cancel()
        await task.value
    }

    @Test func `answers are collected, shown in the record, and become a verdict when all are there`() async throws {
        try await self.ask()
        let open = try #require(try await self.pair.phone["notes"].conflicts.first)
        var choices = open.choices
        #expect(choices.fields.map(\.path.text).sorted() == ["/lines/b/body", "/price"])
        #expect(choices.verdict == nil && !choices.isComplete)
        choices["/price"] = .client
        #expect(choices.verdict == nil)
        choices["/lines/b/body"] = .server
        #expect(choices.record?.price == 3)
        #expect(choices.record?.lines?[1]?.body == 2)
        #expect(choices.verdict == .fields(["/price": .client, "/lines/b/body": .server]))
        choices["/lines/b/body"] = .value("two")
        #expect(choices.verdict == choices.record.map { .merge($0) })
        #expect(choices.record?.lines?[1]?.body == "two")
        try await open.resolve(try #require(choices.verdict))
        #expect(try await self.pair.note.get() == choices.record)
    }

    @Test func `an answer that reaches nothing is refused, and the others stay`() async throws {
        try await self.ask()
        var choices = try #require(try await self.pair.phone["notes"].conflicts.first).choices
        choices["/price"] = .client
        for path: JSONPointer in ["/title", "/lines/1/body", "/lines/b", ""] {
            let error = #expect(throws: TidemarkError.self) { try choices.set(.server, for: path) }
            #expect(error?.code == .invalidAnswers, "\(path)")
            choices[path] = .server
            #expect(choices[path] == nil)
        }
        choices["/price"] = nil
        #expect(choices.answers.isEmpty)
    }

    @Test func `a value with the key of another element is refused`() throws {
        let conflict = RecordConflict(
            collection: "notes", pk: "1", base: ["lines": [["id": "a", "n": 0], ["id": "b", "n": 0]]],
            server: ["lines": [["id": "a", "n": 0]]], client: ["lines": [["id": "a", "n": 0], ["id": "b", "n": 1]]],
            fields: try FieldRules([("/lines", .keyed("id"))]))
        var choices = RecordConflict.Choices(conflict)
        #expect(conflict.clashes.map(\.path.text) == ["/lines/b"])
        #expect(throws: TidemarkError.self) { try choices.set(.value(["id": "a", "n": 7]), for: "/lines/b") }
        try choices.set(.value(["id": "b", "n": 7]), for: "/lines/b")
        #expect(choices.record == ["lines": [["id": "a", "n": 0], ["id": "b", "n": 7]]])
    }

    @Test func `a deletion is one question about the whole record`() async throws {
        try await self.pair.tablet["notes"]["42"].delete()
        _ = try await self.pair.tablet.sync(["notes"])
        let conflict = RecordConflict(
            collection: "notes", pk: "1", base: ["n": 1], server: nil, version: "2", client: ["n": 2])
        var choices = RecordConflict.Choices(conflict)
        #expect(choices.record == nil && choices.verdict == nil)
        choices[.root] = .client
        #expect(choices.record == ["n": 2])
        #expect(choices.verdict == .fields([.root: .client]))
        choices[.root] = .server
        #expect(choices.record == nil)
        #expect(choices.verdict == .fields([.root: .server]))
        #expect(throws: TidemarkError.self) { try choices.set(.value(nil), for: .root) }
        let error = #expect(throws: TidemarkError.self) { try choices.set(.value(7), for: .root) }
        #expect(error?.message == "A record is a JSON object; “1” in notes would be 7.")
    }
}
