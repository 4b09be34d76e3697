import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: a form over a record that changes meanwhile.
@Suite(.timeLimit(.minutes(10))) @MainActor struct DraftModelTests {
    struct Note: Codable, Equatable, Sendable {
        struct Line: Codable, Equatable, Sendable {
            var id: String
            var body: String
        }

        var title: String
        var price: Int?
        var lines: [Line] = []
    }

    let pair: ClientPair
    let notes: SyncCollection<Note>

    init() async throws {
        var configuration = SyncConfiguration()
        configuration["notes"] = CollectionRules(
            fields: try FieldRules([("/lines", .keyed("id")), ("/price", .ask), ("/votes", .sum)]))
        self.pair = try ClientPair(configuration)
        self.notes = self.pair.phone.collection("notes", of: Note.self)
        try await self.pair.phone["notes"].create(
            [
                "title": "Milk", "price": 10, "votes": 5,
                "lines": [["id": "a", "body": "1"], ["id": "b", "body": "2"]],
            ], pk: "42")
        try await self.pair.settle()
    }

    private func elsewhere(_ change: @Sendable (inout JSON) throws(TidemarkError) -> Void) async throws {
        try await self.pair.tablet["notes"]["42"].edit(change)
        try await self.pair.settle()
        try await self.pair.settle()
    }

    /// Runs a body while the model follows its record.
    private func following<Value>(_ model: DraftModel<Value>, _ body: () async throws -> Void) async throws {
        let task = Task { await model.follow() }
        try await body()
        task.cancel()
        await task.value
    }

    @Test func `untouched fields follow, a touched one keeps the user's text`() async throws {
        let model = DraftModel(try await self.notes["42"].draft())
        try await self.following(model) {
            model.value.title = "Oat milk"
            try await self.elsewhere { note in
                note.price = 12
                note.color = "red"
                note.lines?[1]?.body = "two"
            }
            await eventually("the price follows") { model.value.price == 12 }
            #expect(model.value.title == "Oat milk")
            #expect(model.value.lines.map(\.body) == ["1", "two"])
            #expect(model.remoteChanges.isEmpty && model.hasChanges)
            let edit = await model.save()
            #expect(edit?.patch.operations.map(\.path.text) == ["/title"])
            #expect(!model.hasChanges && model.failure == nil)
        }
        let stored = try #require(try await self.pair.note.get())
        #expect(stored.title == "Oat milk" && stored.price == 12 && stored.color == "red")
        #expect(try await self.pair.note.journal.isEmpty)
    }

    @Test func `a field that both changed is named, and keeps the user's value`() async throws {
        let model = DraftModel(try await self.notes["42"].draft())
        try await self.following(model) {
            model.value.price = 8
            model.value.lines[0].body = "one"
            try await self.elsewhere { note in
                note.price = 12
                note.lines?[0]?.body = "uno"
                note.title = "Milk 2"
            }
            await eventually("the title follows") { model.value.title == "Milk 2" }
            #expect(model.value.price == 8)
            #expect(model.value.lines[0].body == "one")
            #expect(Set(model.remoteChanges.map(\.text)) == ["/price", "/lines"])
            #expect(await model.save() == nil)
            let conflict = try #require(model.conflict)
            #expect(conflict.fields.map(\.path.text) == ["/price"])
            #expect(conflict.fields.map { [$0.base, $0.stored, $0.draft] } == [[10, 12, 8]])
            #expect(await model.save(preferring: conflict.preferring(.stored)) != nil)
            #expect(model.conflict == nil && model.failure == nil)
            await eventually("the stored price is shown") { model.value.price == 12 }
        }
        let stored = try #require(try await self.pair.note.get())
        #expect(stored.price == 12)
        #expect(stored.lines?[0]?.body == "one")
        #expect(try await self.pair.note.journal.contains { $0.raw.value == Array(#""uno""#.utf8) })
    }

    @Test func `a save while the user types counts a sum once`() async throws {
        let record = self.pair.note
        let model = DraftModel(try await record.draft())
        let task = Task { await model.follow() }
        for round in 1...25 {
            model.value.votes = JSON((model.value.votes?.int ?? 0) + 1)
            async let saved = model.save()
            if round.isMultiple(of: 3) { try await self.elsewhere { $0.votes = JSON(($0.votes?.int ?? 0) + 100) } }
            _ = await saved
        }
        _ = await model.save()
        task.cancel()
        await task.value
        #expect(try await record.get()?.votes == 830, "5, 25 by the form, and 8 × 100")
    }

    /// A type with a default that it always writes, and with an amount that is one value.
    struct Order: Codable, Equatable, Sendable {
        struct Amount: Codable, Equatable, Sendable {
            var value: Int
            var currency: String
        }

        var amount: Amount
        var done = false

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.amount = try members.decode(Amount.self, forKey: .amount)
            self.done = try members.decodeIfPresent(Bool.self, forKey: .done) ?? false
        }
    }

    private func order(_ rule: any FieldRule) async throws -> (pair: ClientPair, model: DraftModel<Order>) {
        var configuration = SyncConfiguration()
        configuration["notes"] = CollectionRules(fields: try FieldRules([("/amount", rule), ("/count", .sum)]))
        let pair = try ClientPair(configuration)
        try await pair.phone["notes"].create(["amount": ["value": 10, "currency": "EUR"]], pk: "42")
        try await pair.settle()
        let record = pair.phone.collection("notes", of: Order.self)["42"]
        return (pair, DraftModel(try await record.draft()))
    }

    @Test func `a value that a rule takes as a whole is not put together from both sides`() async throws {
        for (rule, stored) in [(.whole, "EUR"), (.ask, "USD")] as [(any FieldRule, String)] {
            let (pair, model) = try await self.order(rule)
            let task = Task { await model.follow() }
            model.value.amount.value = 20
            try await pair.tablet["notes"]["42"].edit { note in
                note.amount?.currency = "USD"
                note.count = 1
            }
            try await pair.settle()
            try await pair.settle()
            await eventually("the change is seen") { model.remoteChanges.map(\.text) == ["/amount"] }
            #expect(model.value.amount == .init(value: 20, currency: "EUR"))
            await model.save()
            if let conflict = model.conflict { await model.save(preferring: conflict.preferring(.stored)) }
            let value: JSON = stored == "EUR" ? 20 : 10
            #expect(try await pair.note.get()?.amount == ["value": value, "currency": JSON(stored)])
            task.cancel()
            await task.value
        }
    }

    @Test func `a change that is taken back is no change, also after the form has followed`() async throws {
        let (pair, model) = try await self.order(.whole)
        let task = Task { await model.follow() }
        model.value.done = true
        try await pair.note.edit { $0.amount?.value = 11 }
        await eventually("it follows") { model.value.amount.value == 11 }
        #expect(model.value.done && model.hasChanges)
        model.value.done = false
        #expect(!model.hasChanges)
        #expect(await model.save() == nil)
        #expect(try await pair.note.get()?.done == nil)
        task.cancel()
        await task.value
    }

    @Test func `saves that overlap save the last value`() async throws {
        let model = DraftModel(try await self.notes["42"].draft())
        let saves = (1...20).map { number in
            model.value.title = "Milk \(number)"
            return Task { await model.save() }
        }
        for save in saves { _ = await save.value }
        #expect(try await self.pair.note.get()?.title == "Milk 20")
        #expect(!model.hasChanges && !model.isSaving)
    }

    @Test func `a record that is created again from the form is its new base`() async throws {
        let record = self.pair.note
        let model = DraftModel(try await record.draft())
        try await self.following(model) {
            model.value.votes = 6
            try await record.delete()
            await eventually("the deletion is seen") { model.isDeleted }
            try await self.pair.phone["notes"].create(model.value, pk: "42")
            await eventually("it is there again") { !model.isDeleted }
            #expect(!model.hasChanges)
            #expect(await model.save() == nil)
        }
        #expect(try await record.get()?.votes == 6)
    }

    @Test func `unknown members that are lost are in the journal, also after the form has followed`() async throws {
        struct Text: Codable, Sendable {
            struct Part: Codable, Sendable { var text: String }
            var parts: [Part]
            var price: Int
        }
        try await self.pair.note.edit { $0.parts = [["text": "a", "x": 1]] }
        let model = DraftModel(try await self.pair.phone.collection("notes", of: Text.self)["42"].draft())
        let task = Task { await model.follow() }
        model.value.parts = [.init(text: "b"), .init(text: "c")]
        try await self.pair.note.edit { $0.price = 11 }
        await eventually("it has followed") { model.value.price == 11 }
        await model.save()
        let lost = try await self.pair.note.journal.map { try $0.lostValue }
        #expect(lost == [[["text": "a", "x": 1]]])
        task.cancel()
        await task.value
    }

    @Test func `a deleted record keeps the user's text, and a save says so`() async throws {
        let model = DraftModel(try await self.notes["42"].draft())
        try await self.following(model) {
            model.value.title = "Oat milk"
            try await self.pair.note.delete()
            await eventually("the deletion is seen") { model.isDeleted }
            #expect(model.value.title == "Oat milk")
            #expect(await model.save() == nil)
            #expect(model.failure?.code == .noSuchRecord)
        }
    }

    @Test func `a record that the type can't read leaves the form as it is`() async throws {
        let model = DraftModel(try await self.notes["42"].draft())
        try await self.following(model) {
            model.value.title = "Oat milk"
            try await self.pair.note.edit { $0.title = 7 }
            try await self.pair.note.edit { $0.price = 11 }
            try await self.pair.note.edit { $0.title = "Soy milk" }
            await eventually("a readable form follows") { model.value.price == 11 }
            #expect(model.value.title == "Oat milk")
            #expect(model.remoteChanges.map(\.text) == ["/title"])
        }
    }
}
