import Foundation
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

@Suite("Contract §4, §8: records through an app's own types") struct CodableRecordTests {
    let server: InProcessServer
    let phone: SyncClient
    let laptop: SyncClient

    init() throws {
        let server = try InProcessServer()
        self.server = server
        let device = { (seed: UInt64) throws in
            try SyncClient(
                store: MemoryStore(), remote: InProcessRemote(server), configuration: SyncConfiguration(),
                time: server.clock, seed: seed)
        }
        self.phone = try device(1)
        self.laptop = try device(2)
    }

    private func syncBoth() async throws {
        for client in [self.laptop, self.phone, self.laptop] { _ = try await client.sync(["things"]) }
    }

    struct Product: Codable, Equatable {
        var price: Decimal
        var since: Date?
    }

    @Test func `decimal-from-codable: prices are exact numbers, and two of them conflict`() async throws {
        let price = { (text: String) in try #require(Decimal(string: text)) }
        try await self.phone["things"].of(Product.self).create(Product(price: try price("1.25")), pk: "1")
        _ = try await self.phone.sync(["things"])
        _ = try await self.laptop.sync(["things"])
        let (here, there) = (try price("12.5"), try price("1.27"))
        try await self.phone["things"]["1"].of(Product.self).edit { $0.price = here }
        try await self.laptop["things"]["1"].of(Product.self).edit { $0.price = there }
        try await self.syncBoth()
        for client in [self.phone, self.laptop] {
            #expect(try await client["things"]["1"].get()?.text == #"{"price":12.5}"#)
            #expect(try await client["things"]["1"].of(Product.self).get() == Product(price: here))
        }
        let lost = try await self.phone["things"].journal
        #expect(lost.count == 1)
        #expect(lost.first?.path.text == "/price")
        #expect(lost.first?.raw.value == Array("1.27".utf8))
    }

    @Test func `a literal stays JSON in the order of its members`() async throws {
        let things = self.phone["things"]
        try await things.of(Product.self).create(Product(price: 1), pk: "1")
        #expect(try await things["1"].of(Product.self).get() == Product(price: 1))
        try await things.create(["z": 1, "a": ["n"], "m": .null], pk: "2")
        try await things.create(["z": "1", "a": "2", "m": "3"], pk: "3")
        #expect(try await things["2"].get()?.text == #"{"z":1,"a":["n"],"m":null}"#)
        #expect(try await things["3"].get()?.text == #"{"z":"1","a":"2","m":"3"}"#, "in the order of the literal")
        let json: JSON = ["b": 1.10]
        try await things.create(json, pk: "4")
        #expect(try await things["4"].get() == json)
    }

    @Test func `a collection chooses how dates are written`() async throws {
        let things = self.phone["things"]
        let (early, late) = (Date(timeIntervalSince1970: 1), Date(timeIntervalSince1970: 2))
        try await things.of(Product.self, dates: .secondsSince1970).create(Product(price: 1, since: early), pk: "1")
        #expect(try await things["1"].get() == ["price": 1, "since": 1])
        try await things["1"].of(Product.self, dates: .secondsSince1970).edit { $0.since = late }
        #expect(try await things["1"].of(Product.self, dates: .secondsSince1970).get()?.since == late)
        let error = await #expect(throws: TidemarkError.self) { try await things["1"].of(Product.self).get() }
        #expect(error?.code == .invalidContent)
    }

    @Test func `a type that does not encode to an object is refused with a message`() async throws {
        let things = self.phone["things"]
        func message(_ body: () async throws -> Void) async -> String? {
            let error = await #expect(throws: TidemarkError.self) { try await body() }
            #expect(error?.code == .invalidContent)
            return error?.message
        }
        let wanted = "and a record is an object: make it a member of a type."
        #expect(
            await message { try await things.of([Int].self).create([1, 2]) }
                == "A Array<Int> becomes an array, \(wanted)")
        #expect(
            await message { try await things.of(Date.self).create(Date()) } == "A Date becomes a string, \(wanted)")
        #expect(
            await message { try await things.of(Decimal.self).create(Decimal(5)) }
                == "A Decimal becomes a number, \(wanted)")
        let nan = await message { try await things.of(Product.self).create(Product(price: .nan)) }
        #expect(nan?.contains("JSON has no number NaN") == true)
        #expect(try await things.list().isEmpty)
    }

    // MARK: Versions of a type

    /// The first version of a type.
    struct OldNote: Codable, Equatable {
        var title: String
    }

    /// The second version: one member has another name in Swift, one is new with a default, one is new and optional.
    struct Note: Codable, Equatable {
        var headline: String
        var isPinned = false
        var color: String?

        enum CodingKeys: String, CodingKey {
            case headline = "title"
            case isPinned
            case color
        }
    }

    @Test func `a type with a new default and a new name reads records of an older version`() async throws {
        let things = self.phone["things"]
        try await things.of(OldNote.self).create(OldNote(title: "Milk"), pk: "1")
        #expect(try await things["1"].of(Note.self).get() == Note(headline: "Milk"))
        // Only changed members are written, and no default.
        try await things["1"].of(Note.self).edit { $0.headline = "Oats" }
        #expect(try await things["1"].get()?.text == #"{"title":"Oats"}"#)
        try await things["1"].of(Note.self).edit { $0.isPinned = true }
        #expect(try await things["1"].get()?.text == #"{"title":"Oats","isPinned":true}"#)
        try await things["1"].of(Note.self).edit { $0.isPinned = false }
        #expect(try await things["1"].of(Note.self).get() == Note(headline: "Oats"))
    }

    @Test func `an old device keeps members that its type does not have`() async throws {
        let note = Note(headline: "Milk", isPinned: true, color: "red")
        try await self.phone["things"].of(Note.self).create(note, pk: "1")
        _ = try await self.phone.sync(["things"])
        _ = try await self.laptop.sync(["things"])
        try await self.laptop["things"]["1"].of(OldNote.self).edit { $0.title = "Oats" }
        try await self.phone["things"]["1"].of(Note.self).edit { $0.color = nil }
        try await self.syncBoth()
        for client in [self.phone, self.laptop] {
            #expect(
                try await client["things"]["1"].of(Note.self).get() == Note(headline: "Oats", isPinned: true))
        }
        #expect(try await self.phone["things"].journal.isEmpty)
    }

    /// A member that gets another name in JSON: both names are written while old devices read.
    struct Renamed: Codable, Equatable {
        var headline: String

        enum CodingKeys: String, CodingKey {
            case headline
            case title
        }
    }

    @Test func `a member with two names in JSON is read by both versions`() async throws {
        let things = self.phone["things"]
        try await things.of(OldNote.self).create(OldNote(title: "Milk"), pk: "1")
        try await things["1"].of(Renamed.self).edit { $0.headline = "Oats" }
        #expect(try await things["1"].of(OldNote.self).get() == OldNote(title: "Oats"))
        #expect(try await things["1"].of(Renamed.self).get() == Renamed(headline: "Oats"))
        try await things["1"].of(OldNote.self).edit { $0.title = "Soy" }
        #expect(try await things["1"].of(Renamed.self).get() == Renamed(headline: "Soy"))
    }
}

extension CodableRecordTests.Note {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.headline = try members.decode(String.self, forKey: .headline)
        self.isPinned = try members.decodeIfPresent(Bool.self, forKey: .isPinned) ?? false
        self.color = try members.decodeIfPresent(String.self, forKey: .color)
    }
}

extension CodableRecordTests.Renamed {
    /// Every version writes the old name, so it is read first.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.headline =
            try members.decodeIfPresent(String.self, forKey: .title)
            ?? members.decode(String.self, forKey: .headline)
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(self.headline, forKey: .title)
        try members.encode(self.headline, forKey: .headline)
    }
}
