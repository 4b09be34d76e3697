import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §8: drafts") struct DraftTests {
    let pair: ClientPair
    var note: SyncRecord<JSON> { self.pair.note }
    var other: SyncRecord<JSON> { self.pair.tablet["notes"]["42"] }

    struct Note: Codable, Equatable {
        var title: String
        var cost: Int?
        var tags: [String]?
    }

    init() async throws {
        var configuration = SyncConfiguration()
        configuration["notes"].fields = try FieldRules([
            ("/cost", .server), ("/count", .sum), ("/tags", .union), ("/price", .ask), ("/low", .min),
        ])
        self.pair = try ClientPair(configuration)
        try await self.pair.phone["notes"].create(
            ["title": "Milk", "cost": 1, "count": 5, "tags": ["home"], "price": 10, "low": 9, "new": ["x": 1]],
            pk: "42")
        try await self.pair.settle()
    }

    /// Another device changes the record, and the change arrives here.
    private func elsewhere(_ change: @Sendable (inout JSON) throws(TidemarkError) -> Void) async throws {
        try await self.other.edit(change)
        try await self.pair.settle()
        try await self.pair.settle()
    }

    /// The journal of the record: reason, side, path and value.
    private var lost: [String] {
        get async throws {
            try await self.note.journal.map { entry in
                "\(entry.reason) \(entry.lostSide) \(entry.path) \(try entry.lostValue?.text ?? "removed")"
            }
        }
    }

    // MARK: Stored changes

    @Test func `a saved draft keeps the changes of other devices`() async throws {
        var draft = try await self.note.of(Note.self).draft()
        try await self.elsewhere { $0.cost = 99 }
        draft.value.title = "Oat milk"
        let edit = try await draft.save()
        #expect(try await self.note.get()?.title == "Oat milk")
        #expect(try await self.note.get()?.cost == 99)
        #expect(edit.patch.text == #"[{"op":"replace","path":"/title","value":"Oat milk"}]"#)
        #expect(try await self.lost == [])
    }

    @Test func `a field that the user did not change keeps a later edit made on this device`() async throws {
        var draft = try await self.note.of(Note.self).draft()
        try await self.note.edit { $0.title = "Soy milk" }
        draft.value.cost = 2
        try await draft.save()
        #expect(try await self.note.get()?.title == "Soy milk")
        #expect(try await self.note.get()?.cost == 2)
        #expect(try await self.lost == [])
    }

    @Test func `members that the type does not have keep their stored values`() async throws {
        var draft = try await self.note.of(Note.self).draft()
        try await self.elsewhere { $0.new?.x = 2 }
        draft.value.tags = nil
        try await draft.save()
        #expect(
            try await self.note.get()
                == ["title": "Milk", "cost": 1, "count": 5, "price": 10, "low": 9, "new": ["x": 2]])
    }

    @Test func `a draft without a type is JSON, and saved in the same way`() async throws {
        var draft = try await self.note.draft()
        try await self.elsewhere { $0.title = "Soy milk" }
        draft.value.new?.y = 2
        try await draft.save()
        #expect(try await self.note.get()?.new == ["x": 1, "y": 2])
        #expect(try await self.note.get()?.title == "Soy milk")
    }

    @Test func `a draft without a change writes nothing`() async throws {
        let draft = try await self.note.of(Note.self).draft()
        try await self.elsewhere { $0.title = "Soy milk" }
        #expect(try await draft.save().patch.isEmpty)
        #expect(try await self.note.get()?.title == "Soy milk")
        #expect(try await self.note.snapshot()?.phase == .synced)
    }

    @Test func `a draft has changes while its value differs from its base`() async throws {
        var draft = try await self.note.of(Note.self).draft()
        #expect(!draft.hasChanges)
        draft.value.title = "Oat milk"
        #expect(draft.hasChanges)
        draft.value.title = "Milk"
        #expect(!draft.hasChanges)
    }

    // MARK: Conflicts

    @Test func `without a rule the draft's value is stored, and the stored one is journalled`() async throws {
        var draft = try await self.note.of(Note.self).draft()
        try await self.elsewhere { $0.title = "Soy milk" }
        draft.value.title = "Oat milk"
        try await draft.save()
        #expect(try await self.note.get()?.title == "Oat milk")
        #expect(try await self.lost == [#"merge server /title "Soy milk""#])
        let entry = try #require(try await self.note.journal.last)
        try await self.pair.phone["notes"].restore(entry.number)
        #expect(try await self.note.get()?.title == "Soy milk")
    }

    @Test func `the rule server keeps the stored value, and the draft's is journalled`() async throws {
        var draft = try await self.note.of(Note.self).draft()
        try await self.elsewhere { $0.cost = 99 }
        draft.value.cost = 2
        draft.value.title = "Oat milk"
        let edit = try await draft.save()
        #expect(edit.patch.text == #"[{"op":"replace","path":"/title","value":"Oat milk"}]"#)
        #expect(try await self.note.get()?.cost == 99)
        #expect(try await self.lost == ["merge client /cost 2"])
    }

    @Test func `sums, unions and minima take both changes`() async throws {
        var draft = try await self.note.draft()
        try await self.elsewhere {
            $0.count = 8
            $0.tags = ["home", "cold"]
            $0.low = 4
        }
        draft.value.count = 6
        draft.value.tags = ["home", "shop"]
        draft.value.low = 7
        try await draft.save()
        #expect(try await self.note.get()?.count == 9)
        #expect(Set(try await self.note.of(Note.self).get()?.tags ?? []) == ["home", "cold", "shop"])
        #expect(try await self.note.get()?.low == 4)
        #expect(try await self.lost == ["merge client /low 7"])
    }

    @Test func `an edit of this device that a draft overwrites is journalled as the client's`() async throws {
        var draft = try await self.note.of(Note.self).draft()
        try await self.note.edit { $0.title = "Soy milk" }
        draft.value.title = "Oat milk"
        try await draft.save()
        #expect(try await self.lost == [#"merge client /title "Soy milk""#])
    }

    @Test func `a draft and the store that changed to the same value do not conflict`() async throws {
        var draft = try await self.note.draft()
        try await self.elsewhere { $0.price = 12 }
        draft.value.price = 12
        try await draft.save()
        #expect(try await self.lost == [])
        #expect(try await self.note.snapshot()?.phase == .synced)
    }

    // MARK: Undo and a second save

    @Test func `the save of a draft is undone like any edit`() async throws {
        var draft = try await self.note.of(Note.self).draft()
        try await self.elsewhere { $0.cost = 99 }
        draft.value.title = "Oat milk"
        let edit = try await draft.save()
        try await self.note.undo(edit)
        #expect(try await self.note.get()?.title == "Milk")
        #expect(try await self.note.get()?.cost == 99)
    }

    @Test func `a saved draft continues from its saved value, and reverts nothing`() async throws {
        var draft = try await self.note.draft()
        try await self.elsewhere {
            $0.cost = 99
            $0.count = 9
        }
        draft.value.count = 7
        draft.value.cost = 2
        try await draft.save()
        #expect(!draft.hasChanges)
        #expect(try await self.note.get()?.count == 11)
        draft.value.count = 8
        draft.value.title = "Oat milk"
        #expect(draft.hasChanges)
        try await draft.save()
        #expect(try await self.note.get()?.count == 12, "what another device added stays")
        #expect(try await self.note.get()?.title == "Oat milk")
        #expect(try await self.lost == ["merge client /cost 2"])
    }

    @Test func `a draft that is saved twice changes nothing the second time`() async throws {
        var draft = try await self.note.draft()
        draft.value.count = 7
        let form = draft
        async let first = form.save()
        async let second = form.save()
        #expect(try await [first, second].count { !$0.patch.operations.isEmpty } == 1)
        #expect(try await self.note.get()?.count == 7)
    }

    // MARK: Missing records

    @Test func `a record that does not exist has no draft`() async throws {
        let error = await #expect(throws: TidemarkError.self) { try await self.pair.phone["notes"]["7"].draft() }
        #expect(error?.code == .noSuchRecord)
    }

    @Test(arguments: [false, true])
    func `a draft of a record that was deleted meanwhile is not saved`(isHere: Bool) async throws {
        var draft = try await self.note.of(Note.self).draft()
        draft.value.title = "Oat milk"
        try await (isHere ? self.note : self.other).delete()
        try await self.pair.settle()
        let error = await #expect(throws: TidemarkError.self) { try await draft.save() }
        #expect(error?.code == .noSuchRecord)
        #expect(error?.message.contains("was deleted after the draft was made. Nothing was saved") == true)
        #expect(try await self.note.get() == nil)
    }

    @Test func `a draft whose value is no object is not saved`() async throws {
        var draft = try await self.note.draft()
        draft.value = 5
        let error = await #expect(throws: TidemarkError.self) { try await draft.save() }
        #expect(error?.code == .invalidContent)
        #expect(try await self.note.get()?.title == "Milk")
    }
}
