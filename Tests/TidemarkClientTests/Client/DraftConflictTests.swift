import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §8: drafts that the user has to decide about") struct DraftConflictTests {
    /// A record on two devices, in a collection with a tactic; the rule of prices is `ask`.
    private struct World {
        let pair: ClientPair
        var note: SyncRecord<JSON> { self.pair.note }

        init(_ tactic: any Tactic = .autoMerge) async throws {
            var configuration = SyncConfiguration()
            configuration["notes"] = CollectionRules(tactic: tactic, fields: try FieldRules([("/price", .ask)]))
            self.pair = try ClientPair(configuration)
            try await self.pair.phone["notes"].create(["title": "Milk", "price": 10, "n": 1], pk: "42")
            try await self.pair.settle()
        }

        /// Another device changes the record, and the change arrives here.
        func elsewhere(_ change: @Sendable (inout JSON) throws(TidemarkError) -> Void) async throws {
            try await self.pair.tablet["notes"]["42"].edit(change)
            try await self.pair.settle()
            try await self.pair.settle()
        }

        /// The conflict that a save throws.
        func conflict(
            _ draft: RecordDraft<JSON>, _ answers: [DraftConflict.Field: DraftConflict.Side] = [:]
        ) async throws -> DraftConflict {
            let error = await #expect(throws: TidemarkError.self) { try await draft.save(preferring: answers) }
            #expect(error?.code == .draftConflict)
            return try #require(error?.draftConflict)
        }
    }

    @Test func `a field with the rule ask stores nothing, and is thrown with its three values`() async throws {
        let world = try await World()
        var draft = try await world.note.draft()
        try await world.elsewhere { $0.price = 12 }
        draft.value.price = 8
        draft.value.title = "Oat milk"
        let conflict = try await world.conflict(draft)
        #expect(conflict.fields.map(\.path.text) == ["/price"])
        #expect(conflict.fields.map { [$0.base, $0.stored, $0.draft] } == [[10, 12, 8]])
        #expect(try await world.note.get() == ["title": "Milk", "price": 12, "n": 1])
        #expect(try await world.note.snapshot()?.phase == .synced)
        #expect(try await world.note.journal.isEmpty)
    }

    @Test func `the error names the fields, and says what to do`() async throws {
        let world = try await World()
        var draft = try await world.note.draft()
        try await world.elsewhere { $0.price = 12 }
        draft.value.price = 8
        let error = await #expect(throws: TidemarkError.self) { try await draft.save() }
        #expect(
            error?.message
                == "The draft of “42” in notes can't be saved yet: /price was changed in the store after the draft was made. Nothing was saved; ask the user, and save the draft with an answer for each field."
        )
    }

    @Test(arguments: DraftConflict.Side.allCases)
    func `an answer decides its field, and the other value is journalled`(side: DraftConflict.Side) async throws {
        let world = try await World()
        var draft = try await world.note.draft()
        try await world.elsewhere { $0.price = 12 }
        draft.value.price = 8
        draft.value.title = "Oat milk"
        let answers = try await world.conflict(draft).preferring(side)
        try await draft.save(preferring: answers)
        #expect(try await world.note.get() == ["title": "Oat milk", "price": side == .draft ? 8 : 12, "n": 1])
        let lost = try #require(try await world.note.journal.last)
        #expect(lost.path.text == "/price" && lost.reason == .merge)
        #expect(lost.lostSide == (side == .draft ? .server : .client))
        #expect(try lost.lostValue == (side == .draft ? 12 : 8))
    }

    @Test func `an answer about a value that changed after the question does not count (R22)`() async throws {
        let world = try await World()
        var draft = try await world.note.draft()
        try await world.elsewhere { $0.price = 12 }
        draft.value.price = 8
        let answers = try await world.conflict(draft).preferring(.draft)
        try await world.elsewhere { $0.price = 13 }
        let conflict = try await world.conflict(draft, answers)
        #expect(conflict.fields.map(\.stored) == [13])
        #expect(try await world.note.get()?.price == 13)
    }

    @Test func `a field without an answer is asked about again, with all others`() async throws {
        let world = try await World(.askUser)
        var draft = try await world.note.draft()
        try await world.elsewhere {
            $0.title = "Soy milk"
            $0.n = 2
        }
        draft.value.title = "Oat milk"
        draft.value.n = 3
        let conflict = try await world.conflict(draft)
        #expect(conflict.fields.map(\.path.text) == ["/n", "/title"])
        let first = try #require(conflict.fields.first)
        #expect(try await world.conflict(draft, [first: .draft]) == conflict)
        try await draft.save(preferring: [first: .draft, try #require(conflict.fields.last): .stored])
        #expect(try await world.note.get() == ["title": "Soy milk", "price": 10, "n": 3])
    }

    @Test func `the user is asked only about the fields that no rule decides`() async throws {
        let world = try await World(.askUser)
        var draft = try await world.note.draft()
        try await world.elsewhere {
            $0.price = 12
            $0.n = 2
        }
        draft.value.price = 8
        draft.value.n = 3
        let conflict = try await world.conflict(draft)
        #expect(conflict.fields.map(\.path.text) == ["/price"])
        try await draft.save(preferring: conflict.preferring(.stored))
        #expect(try await world.note.get() == ["title": "Milk", "price": 12, "n": 3])
    }

    @Test func `a tactic that asks the user decides only about conflicting fields`() async throws {
        let world = try await World(.askUser)
        var draft = try await world.note.draft()
        try await world.elsewhere { $0.price = 12 }
        draft.value.title = "Oat milk"
        try await draft.save()
        #expect(try await world.note.get() == ["title": "Oat milk", "price": 12, "n": 1])
    }

    @Test(arguments: [(true, 2), (false, 3)])
    func `a tactic that takes a side decides the conflicting fields only`(isServer: Bool, n: Int) async throws {
        let world = try await World(isServer ? .takeServer as any Tactic : .takeClient)
        var draft = try await world.note.draft()
        try await world.elsewhere {
            $0.n = 2
            $0.price = 12
        }
        draft.value.n = 3
        draft.value.title = "Oat milk"
        try await draft.save()
        #expect(try await world.note.get() == ["title": "Oat milk", "price": 12, "n": JSON(n)])
        #expect(try await world.note.journal.map(\.path.text) == ["/n"])
    }

    @Test func `an app's tactic merges a draft, and the values it leaves out are journalled`() async throws {
        struct Longest: Tactic {
            func decide(_ conflict: RecordConflict) -> Verdict? { .merge(["title": "Both"]) }
        }
        let world = try await World(Longest())
        var draft = try await world.note.draft()
        try await world.elsewhere {
            $0.title = "Soy milk"
            $0.n = 2
        }
        draft.value.title = "Oat milk"
        try await draft.save()
        #expect(try await world.note.get() == ["title": "Both"])
        #expect(try await world.note.journal.map(\.path.text) == ["/title", "/title", "/n"])
    }

    @Test func `a tactic that keeps both leaves the draft's conflict to the user`() async throws {
        struct KeepsBoth: Tactic {
            func decide(_ conflict: RecordConflict) -> Verdict? { .keepBoth(newPK: nil) }
        }
        let world = try await World(KeepsBoth())
        var draft = try await world.note.draft()
        try await world.elsewhere { $0.n = 2 }
        draft.value.n = 3
        #expect(try await world.conflict(draft).fields.map(\.path.text) == ["/n"])
    }

    @Test func `a draft is saved over an open conflict, which then needs a new verdict`() async throws {
        let world = try await World()
        var draft = try await world.note.draft()
        try await world.note.edit { $0.price = 11 }
        try await world.pair.tablet["notes"]["42"].edit { $0.price = 12 }
        _ = try await world.pair.tablet.sync()
        _ = try await world.pair.phone.sync()
        #expect(try await world.note.snapshot()?.phase == .edited(.deciding))
        let shown = try #require(try await world.pair.phone["notes"].conflicts.first)
        draft.value.title = "Oat milk"
        try await draft.save()
        #expect(try await world.note.get() == ["title": "Oat milk", "price": 11, "n": 1])
        let error = await #expect(throws: TidemarkError.self) { try await shown.resolve(.takeClient) }
        #expect(error?.code == .staleDecision)
    }
}
