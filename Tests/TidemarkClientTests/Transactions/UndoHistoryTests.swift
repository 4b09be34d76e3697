import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@MainActor
@Suite("Undo and redo of an app") struct UndoHistoryTests {
    private let phone: SyncClient
    private let tablet: SyncClient
    private let history: UndoHistory

    init() async throws {
        let server = try InProcessServer()
        var configuration = SyncConfiguration()
        configuration["todos"].fields = try FieldRules([("/count", .sum)])
        func client(_ seed: UInt64) throws -> SyncClient {
            try SyncClient(
                store: MemoryStore(), remote: InProcessRemote(server), configuration: configuration, time: server.clock,
                seed: seed)
        }
        (self.phone, self.tablet) = (try client(1), try client(2))
        self.history = UndoHistory(self.phone, steps: 3, bytes: 100_000)
        for pk in ["1", "2"] {
            try await self.phone["todos"].create(["title": "Milk", "list": "home", "count": 5], pk: pk)
        }
        _ = try await self.phone.sync()
        _ = try await self.tablet.sync(["todos"])
    }

    private func todo(_ pk: String) async throws -> JSON? { try await self.phone["todos"][pk].get() }

    /// Moves both to-dos, and counts one of them.
    private func move() async throws {
        try await self.history.perform("Move to Work") { t in
            for pk in ["1", "2"] { try t["todos"][pk].edit { $0.list = "work" } }
            try t["todos"]["1"].edit { $0.count = 6 }
        }
    }

    private func change(_ pk: String, _ change: @Sendable (inout JSON) -> Void) async throws {
        _ = try await self.tablet.sync()
        try await self.tablet["todos"][pk].edit { (todo: inout JSON) throws(TidemarkError) in change(&todo) }
        _ = try await self.tablet.sync()
        _ = try await self.phone.sync()
    }

    @Test func `U2: a step that was sent is undone and redone as a whole`() async throws {
        try await self.move()
        _ = try await self.phone.sync()
        #expect(self.history.undoName == "Move to Work")
        #expect(try await self.history.undo().isEmpty)
        #expect(try await self.todo("1") == ["title": "Milk", "list": "home", "count": 5])
        #expect(try await self.todo("2")?.list == "home")
        #expect(!self.history.canUndo && self.history.redoName == "Move to Work")
        #expect(try await self.history.redo().isEmpty)
        #expect(try await self.todo("1") == ["title": "Milk", "list": "work", "count": 6])
        #expect(self.history.canUndo && !self.history.canRedo)
    }

    @Test func `U3, U4: fields of others are kept, and one that both changed is left and named`() async throws {
        try await self.move()
        _ = try await self.phone.sync()
        try await self.change("1") {
            $0.title = "Oat milk"
            $0.list = "shop"
            $0.count = 9
        }
        let left = try await self.history.undo()
        #expect(left.map(\.pk) == ["1"])
        #expect(left.map(\.fields) == [[JSONPointer(tokens: ["list"])]])
        #expect(left.map(\.reason) == [.changed])
        #expect(try await self.todo("1") == ["title": "Oat milk", "list": "shop", "count": 8])
        #expect(try await self.todo("2")?.list == "home")
        // The field that was left stays as it is.
        #expect(try await self.history.redo().isEmpty)
        #expect(try await self.todo("1") == ["title": "Oat milk", "list": "shop", "count": 9])
    }

    @Test func `U6: a record that is gone is left`() async throws {
        try await self.move()
        _ = try await self.phone.sync()
        _ = try await self.tablet.sync()
        try await self.tablet["todos"]["1"].delete()
        _ = try await self.tablet.sync()
        _ = try await self.phone.sync()
        #expect(try await self.history.undo().map(\.reason) == [.gone])
        #expect(try await self.todo("1") == nil)
        #expect(try await self.todo("2")?.list == "home")
    }

    @Test func `U8: an undone create that was never sent is absent, and one that others changed is left`() async throws
    {
        try await self.history.perform("New") { t in try t["todos"].create(["title": "Bread"], pk: "3") }
        try await self.history.undo()
        #expect(try await self.phone["todos"]["3"].snapshot() == nil)
        try await self.history.redo()
        _ = try await self.phone.sync()
        try await self.change("3") { $0.done = true }
        #expect(try await self.history.undo().map(\.fields) == [[JSONPointer(tokens: ["done"])]])
        #expect(try await self.todo("3")?.done == true)
    }

    @Test func `U9: a delete that is undone makes the record again, unless its pk is in use`() async throws {
        try await self.history.perform("Delete") { t in try t["todos"]["1"].delete() }
        #expect(try await self.history.undo().isEmpty)
        #expect(try await self.todo("1")?.title == "Milk")
        try await self.history.redo()
        try await self.phone["todos"].create(["title": "Other"], pk: "1")
        #expect(try await self.history.undo().map(\.reason) == [.exists])
        #expect(try await self.todo("1")?.title == "Other")
    }

    /// A client whose store fails at a later write.
    private nonisolated static func failing(at write: Int) throws -> SyncClient {
        let store = MemoryStore()
        store.failNextWrite(after: write, with: TidemarkError(.storeFull, "The disk is full."))
        let server = try InProcessServer()
        return try SyncClient(
            store: store, remote: InProcessRemote(server), configuration: SyncConfiguration(), time: server.clock,
            seed: 3)
    }

    @Test func `U10: an undo on a full disk changes nothing, and can be done again`() async throws {
        for write in 0..<40 {
            guard let client = try? Self.failing(at: write) else { continue }
            let history = UndoHistory(client)
            let isMade: Void? = try? await history.perform("New") { t in
                for pk in ["1", "2", "3"] { try t["todos"].create(["n": 1], pk: pk) }
            }
            guard isMade != nil else { continue }
            await #expect(throws: TidemarkError.self) { try await history.undo() }
            #expect(try await client["todos"].list().count == 3)
            #expect(history.undoName == "New")
            try await history.undo()
            #expect(try await client["todos"].list().isEmpty)
            return
        }
        Issue.record("no undo failed")
    }

    @Test func `a new step drops the undone ones, and old and large steps are dropped`() async throws {
        for number in 1...4 {
            try await self.history.perform("\(number)") { t in try t["todos"]["1"].edit { $0.n = JSON(number) } }
        }
        try await self.history.undo()
        #expect(self.history.redoName == "4")
        await self.history.record([try await self.phone["todos"]["1"].edit { $0.n = 9 }], "5")
        #expect(!self.history.canRedo)
        for name in ["5", "3", "2"] {
            #expect(self.history.undoName == name)
            try await self.history.undo()
        }
        #expect(!self.history.canUndo)
        #expect(try await self.todo("1")?.n == 1)
        try await self.history.perform("Large") { t in
            try t["todos"]["2"].edit { $0.words = JSON(String(repeating: "a", count: 200_000)) }
        }
        #expect(!self.history.canUndo && !self.history.canRedo)
    }

    @Test func `steps are in the order in which they were stored, and a step without a change is none`() async throws {
        let (history, phone) = (self.history, self.phone)
        async let first: Void = history.perform("a") { t in try t["todos"]["1"].edit { $0.n = 1 } }
        async let second: Void = history.perform("b") { t in try t["todos"]["1"].edit { $0.n = 2 } }
        _ = try await (first, second)
        let last = try await phone["todos"]["1"].get()?.n
        #expect(history.undoName == (last == 2 ? "b" : "a"))
        try await history.perform("nothing") { t in _ = try t["todos"]["1"].get() }
        #expect(history.undoName != "nothing")
        async let one = history.undo()
        async let two = history.undo()
        _ = try await (one, two)
        #expect(try await self.todo("1")?.n == nil)
        #expect(!history.canUndo)
    }

    @Test func `an addition that was discarded is not taken back, and one that counts is`() async throws {
        try await self.history.perform("Count") { t in try t["todos"]["1"].edit { $0.count = 6 } }
        try await self.phone["todos"]["1"].resign()
        #expect(try await self.history.undo().isEmpty)
        #expect(try await self.todo("1")?.count == 5)
        try await self.history.perform("Count") { t in try t["todos"]["1"].edit { $0.count = 6 } }
        try await self.phone["todos"]["1"].resign()
        try await self.change("1") { $0.count = 8 }
        #expect(try await self.history.undo().map(\.fields) == [[JSONPointer(tokens: ["count"])]])
        #expect(try await self.todo("1")?.count == 8)
        try await self.history.perform("Count") { t in try t["todos"]["1"].edit { $0.count = 9 } }
        #expect(try await self.history.undo().isEmpty)
        #expect(try await self.todo("1")?.count == 8)
    }

    @Test func `an element of a list that was left keeps its place`() async throws {
        var configuration = SyncConfiguration()
        configuration["todos"].fields = try FieldRules([("/lines", .keyed("id"))])
        let server = try InProcessServer()
        let client = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(server), configuration: configuration, time: server.clock,
            seed: 4)
        try await client["todos"].create(["lines": [["id": 8]]], pk: "1")
        let history = UndoHistory(client)
        try await history.perform("Add") { t in
            try t["todos"]["1"].edit { $0.lines = [["id": 7], ["id": 9], ["id": 8]] }
        }
        let changed: JSON = [["id": 7, "n": 1], ["id": 9], ["id": 8]]
        try await client["todos"]["1"].edit { $0.lines = changed }
        #expect(try await history.undo().map { $0.fields.map(\.text) } == [["/lines/7"]])
        #expect(try await client["todos"]["1"].get()?.lines == [["id": 7, "n": 1], ["id": 8]])
    }

    @Test func `a history that is emptied while a step runs keeps none`() async throws {
        try await self.move()
        async let left = self.history.undo()
        await Task.yield()
        self.history.removeAll()
        _ = try await left
        #expect(!self.history.canUndo && !self.history.canRedo)
    }
}
