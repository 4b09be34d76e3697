import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct UndoTests {
    let pair: ClientPair
    var note: SyncRecord<JSON> { self.pair.note }
    var other: SyncRecord<JSON> { self.pair.tablet["notes"]["42"] }

    init() async throws {
        var configuration = SyncConfiguration()
        configuration["notes"].fields = try FieldRules([("/count", .sum), ("/tags", .union)])
        self.pair = try ClientPair(configuration)
        try await self.pair.phone["notes"].create(["title": "Milk", "n": 1, "count": 5, "tags": ["home"]], pk: "42")
        try await self.pair.settle()
    }

    private func overtaken(_ edit: RecordEdit) async -> String? {
        let error = await #expect(throws: TidemarkError.self) { try await self.note.undo(edit) }
        #expect(error?.code == .editOvertaken)
        return error?.message
    }

    @Test func `undo of an unsent edit leaves nothing to send`() async throws {
        let change = try await self.note.edit { $0.title = "Oat milk" }
        try await self.note.undo(change)
        #expect(try await self.note.get()?.title == "Milk")
        #expect(try await self.note.snapshot()?.phase == .synced)
    }

    @Test func `undo of a sent edit is a new edit, and keeps later changes`() async throws {
        let change = try await self.note.edit { $0.title = "Oat milk" }
        try await self.pair.settle()
        try await self.other.edit { $0.n = 2 }
        try await self.pair.settle()
        try await self.pair.settle()
        try await self.note.undo(change)
        try await self.pair.settle()
        #expect(try await self.other.get() == ["title": "Milk", "n": 2, "count": 5, "tags": ["home"]])
    }

    @Test func `undo-is-undone: an undo can itself be undone`() async throws {
        let change = try await self.note.edit { $0.title = "Oat milk" }
        let back = try await self.note.undo(change)
        #expect(back.patch == change.inverse)
        try await self.note.undo(back)
        #expect(try await self.note.get()?.title == "Oat milk")
    }

    @Test func `undo-never-overwrites another device's change of the field, and names the field`() async throws {
        let change = try await self.note.edit {
            $0.title = "Oat milk"
            $0.n = 7
        }
        try await self.pair.settle()
        try await self.other.edit { $0.title = "Soy milk" }
        try await self.pair.settle()
        try await self.pair.settle()
        #expect(await self.overtaken(change)?.contains("“42” in notes can't be undone: /title was changed") == true)
        #expect(try await self.note.get()?.title == "Soy milk")
        #expect(try await self.note.get()?.n == 7, "all of it or nothing")
        #expect(try await self.note.snapshot()?.phase == .synced)
    }

    @Test func `undo of an edit is refused until later edits of the field are undone`() async throws {
        let first = try await self.note.edit { $0.title = "Oat milk" }
        let second = try await self.note.edit { $0.title = "Soy milk" }
        #expect(await self.overtaken(first) != nil)
        try await self.note.undo(second)
        try await self.note.undo(first)
        #expect(try await self.note.get()?.title == "Milk")
    }

    @Test func `undo of a field with a field rule reverts only this edit's part`() async throws {
        let change = try await self.note.edit {
            $0.count = 6
            $0.tags = ["home", "shop"]
        }
        try await self.pair.settle()
        try await self.other.edit {
            $0.count = 9
            $0.tags = ["home", "shop", "cold"]
        }
        try await self.pair.settle()
        try await self.pair.settle()
        try await self.note.undo(change)
        #expect(try await self.note.get()?.count == 8)
        #expect(try await self.note.get()?.tags == ["home", "cold"])
    }

    @Test func `undo of a field that already has its former value changes nothing`() async throws {
        let change = try await self.note.edit { $0.title = "Oat milk" }
        try await self.note.edit { $0.title = "Milk" }
        #expect(try await self.note.undo(change).patch.isEmpty)
    }

    @Test(arguments: [false, true])
    func `undo of a delete restores the record`(isSent: Bool) async throws {
        let content = try await self.note.get()
        let change = try await self.note.delete()
        if isSent { try await self.pair.settle() }
        #expect(try await self.note.get() == nil)
        let back = try await self.note.undo(change)
        try await self.pair.settle()
        #expect(try await self.note.get() == content)
        #expect(try await self.other.get() == content)
        try await self.note.undo(back)
        #expect(try await self.note.get() == nil, "and deleted again")
    }

    @Test func `undo of a delete is refused if the record was created again`() async throws {
        let change = try await self.note.delete()
        try await self.pair.phone["notes"].create(["title": "Bread"], pk: "42")
        let error = await #expect(throws: TidemarkError.self) { try await self.note.undo(change) }
        #expect(error?.code == .recordExists)
        #expect(try await self.note.get() == ["title": "Bread"])
    }

    @Test func `undo of a restored record is refused if the record was changed after it`() async throws {
        let back = try await self.note.undo(try await self.note.delete())
        try await self.note.edit { $0.n = 2 }
        #expect(await self.overtaken(back)?.contains("/n was changed") == true)
        #expect(try await self.note.get()?.n == 2)
    }

    @Test func `undo of an edit needs its own collection and an existing record`() async throws {
        let change = try await self.note.edit { $0.n = 2 }
        let wrong = await #expect(throws: TidemarkError.self) {
            try await self.pair.phone["tags"]["42"].undo(change)
        }
        #expect(wrong?.code == .patchFailed)
        try await self.note.delete()
        let gone = await #expect(throws: TidemarkError.self) { try await self.note.undo(change) }
        #expect(gone?.code == .noSuchRecord)
    }
}
