import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct EditTests {
    let pair: ClientPair
    var note: SyncRecord<JSON> { self.pair.note }

    struct SoldOut: Error, Equatable { var left: Int }

    struct Note: Codable {
        var title: String
    }

    init() async throws {
        self.pair = try ClientPair()
        try await self.pair.phone["notes"].create(["title": "Milk", "n": 1], pk: "42")
        try await self.pair.settle()
    }

    @Test func `a closure's own error reaches the caller, and the edit changes nothing`() async throws {
        let own = await #expect(throws: SoldOut.self) {
            try await self.note.edit { note in
                note.title = "Oat milk"
                throw SoldOut(left: 0)
            }
        }
        #expect(own == SoldOut(left: 0))
        #expect(try await self.note.get() == ["title": "Milk", "n": 1])
        #expect(try await self.note.snapshot()?.phase == .synced)
    }

    @Test func `a closure over an app's type throws its own error, too`() async throws {
        await #expect(throws: SoldOut(left: 3)) {
            try await self.note.of(Note.self).edit { note in
                note.title = "Oat milk"
                throw SoldOut(left: 3)
            }
        }
        #expect(try await self.note.snapshot()?.phase == .synced)
    }

    @Test func `a throwing closure passes on a TidemarkError unchanged`() async throws {
        let given = TidemarkError(.patchFailed, "as it is")
        let error = await #expect(throws: TidemarkError.self) { try await self.note.edit { _ in throw given } }
        #expect(error?.code == .patchFailed)
        #expect(error?.message == "as it is")
        let untyped: @Sendable (inout JSON) throws -> Void = { $0.n = 2 }
        let missing = await #expect(throws: TidemarkError.self) {
            try await self.pair.phone["notes"]["9"].edit(untyped)
        }
        #expect(missing?.code == .noSuchRecord)
    }

    @Test func `an edit whose closure can't throw throws typed errors only`() async {
        do {
            try await self.pair.phone["notes"]["9"].edit { $0.n = 2 }
            Issue.record("there is no such record")
        } catch {
            #expect(error.code == .noSuchRecord, "the compiler knows that it is a TidemarkError")
        }
    }

    @Test func `an edit returns its patch and the inverse patch`() async throws {
        let change = try await self.note.edit {
            $0.title = "Oat milk"
            $0.tags = ["home"]
        }
        #expect(change.collection == "notes")
        #expect(change.pk == "42")
        let patch =
            #"[{"op":"add","path":"/tags","value":["home"]},{"op":"replace","path":"/title","value":"Oat milk"}]"#
        #expect(change.patch == (try JSONPatch(parsing: patch)))
        let inverse = #"[{"op":"remove","path":"/tags"},{"op":"replace","path":"/title","value":"Milk"}]"#
        #expect(change.inverse == (try JSONPatch(parsing: inverse)))
        #expect(try await self.note.edit { $0.n = 1 }.patch.isEmpty)
    }

    @Test(arguments: [(512, true), (513, false)])
    func `a name longer than the limit in bytes is refused`(size: Int, isGood: Bool) async throws {
        let name = String(repeating: "é", count: size / 2) + String(repeating: "x", count: size % 2)
        func code(_ body: () async throws(TidemarkError) -> Void) async -> TidemarkError.Code? {
            do throws(TidemarkError) { try await body() } catch {
                #expect(error.message.contains("has 513 bytes, and"))
                #expect(error.message.contains("has at most 512: choose a shorter one."))
                return error.code
            }
            return nil
        }
        let expected: TidemarkError.Code? = isGood ? nil : .invalidName
        let notes = self.pair.phone["notes"]
        #expect(await code { () async throws(TidemarkError) in try await notes.create([:], pk: name) } == expected)
        let other = self.pair.phone[name]
        #expect(await code { () async throws(TidemarkError) in try await other.create([:], pk: "1") } == expected)
    }

    @Test func `the deepest record that is taken can be read, edited and synced, and a deeper one is refused`()
        async throws
    {
        func nested(_ depth: Int) throws -> JSON {
            try JSON(
                parsing: String(repeating: #"{"a":"#, count: depth - 1) + "{}"
                    + String(repeating: "}", count: depth - 1))
        }
        let deepest = try nested(SyncLimits().recordDepth)
        let tooDeep = try nested(SyncLimits().recordDepth + 1)
        let notes = self.pair.phone["notes"]
        try await notes.create(deepest, pk: "deep")
        #expect(try await notes["deep"].get() == deepest)
        try await notes["deep"].edit { $0.b = 1 }
        try await self.pair.settle()
        #expect(try await self.pair.tablet["notes"]["deep"].get()?.b == 1)
        let error = await #expect(throws: TidemarkError.self) { try await notes.create(tooDeep, pk: "deeper") }
        #expect(error?.code == .invalidContent)
        #expect(error?.message.contains("nested more than 500 deep: flatten the record") == true)
        await #expect(throws: TidemarkError.self) { try await notes["deep"].edit { $0 = tooDeep } }
        #expect(try await notes["deeper"].get() == nil)
    }

    @Test func `a record without a pending change can't be resigned`() async throws {
        for pk in ["42", "never heard of"] {
            let error = await #expect(throws: TidemarkError.self) {
                try await self.pair.phone["notes"][pk].resign()
            }
            #expect(error?.code == .nothingToDecide)
            #expect(error?.message.contains("“\(pk)” in notes has no pending change") == true)
        }
    }

    @Test func `a value whose parent object was removed can't be restored`() async throws {
        let (phone, tablet) = (self.pair.phone, self.pair.tablet["notes"]["42"])
        try await self.note.edit { $0.shop = ["name": "Corner"] }
        try await self.pair.settle()
        try await self.note.edit { $0.shop = ["name": "Harbour"] }
        try await tablet.edit { $0.shop = ["name": "Market"] }
        _ = try await self.pair.tablet.sync(["notes"])
        _ = try await phone.sync(["notes"])
        let entry = try #require(try await phone["notes"].journal.first)
        #expect(entry.path.text == "/shop/name")
        try await self.note.edit { $0.shop = nil }
        let error = await #expect(throws: TidemarkError.self) { try await phone["notes"].restore(entry.number) }
        #expect(error?.code == .patchFailed)
        #expect(error?.message.contains("/shop/name") == true)
        #expect(try await self.note.get()?.shop == nil)
    }
}
