import Foundation
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §8: a type that knows less than the record") struct UnknownMembersTests {
    let pair: ClientPair
    var note: SyncRecord<JSON> { self.pair.note }

    /// A line of the first version of an app.
    struct Line: Codable, Hashable, Sendable {
        var id: Int
        var count: Int
        var price: Double?
        var at: Date?
    }

    /// An order of the first version of an app.
    struct Order: Codable, Sendable {
        var title: String
        var lines: [Line]
        var groups: [String: [Line]]?
    }

    /// A type that skips the lines that it can't decode.
    struct LossyOrder: Codable, Sendable {
        var lines: [Line]

        init(from decoder: any Decoder) throws {
            struct Perhaps: Decodable {
                var line: Line?
                init(from decoder: any Decoder) throws { self.line = try? Line(from: decoder) }
            }
            let members = try decoder.container(keyedBy: CodingKeys.self)
            self.lines = try members.decode([Perhaps].self, forKey: .lines).compactMap(\.line)
        }
    }

    private static let text = #"""
        {"title":"t","lines":[{"id":1,"count":1,"price":0.12345678901234567890,"color":"red"},{"id":2,"count":1,\#
        "at":"2025-01-02T03:04:05+02:00","color":"blue","sub":{"x":[1.50]}}],"groups":{"a":[{"id":3,"count":1,"color":"g"}]}}
        """#

    init() async throws {
        self.pair = try ClientPair(SyncConfiguration())
        let content = try JSON(parsing: Self.text.replacing("\n", with: ""))
        try await self.pair.phone["notes"].create(content, pk: "42")
        try await self.pair.settle()
    }

    private func line(_ index: Int) async throws -> String? { try await self.note.get()?.lines?[index]?.text }

    @Test func `an edit of one element keeps the text of the others, and the unknown members of this one`() async throws
    {
        let other = try await self.line(1)
        try await self.note.of(Order.self).edit { $0.lines[0].count = 5 }
        #expect(
            try await self.line(0) == #"{"id":1,"count":5,"price":0.12345678901234567890,"color":"red"}"#)
        #expect(try await self.line(1) == other)
        #expect(try await self.note.get()?.groups?.a?[0]?.color == "g")
        #expect(try await self.note.journal.isEmpty)
    }

    @Test func `elements that are inserted, moved and removed leave the others as they are`() async throws {
        let (first, second) = (try await self.line(0), try await self.line(1))
        try await self.note.of(Order.self).edit { order in
            order.lines.swapAt(0, 1)
            order.lines.insert(Line(id: 9, count: 0), at: 1)
        }
        #expect(try await self.line(0) == second)
        #expect(try await self.line(1) == #"{"id":9,"count":0}"#)
        #expect(try await self.line(2) == first)
        try await self.note.of(Order.self).edit { $0.lines.removeFirst(2) }
        #expect(try await self.note.get()?.lines == [try JSON(parsing: first ?? "")])
        #expect(try await self.note.journal.isEmpty)
    }

    @Test func `a draft keeps them too, and a second save changes nothing`() async throws {
        var draft = try await self.note.of(Order.self).draft()
        #expect(!draft.hasChanges)
        draft.value.lines[1].count = 7
        try await draft.save()
        #expect(!draft.hasChanges)
        #expect(try await draft.save().patch.isEmpty)
        #expect(
            try await self.line(1)
                == #"{"id":2,"count":7,"at":"2025-01-02T03:04:05+02:00","color":"blue","sub":{"x":[1.50]}}"#)
    }

    @Test func `elements that a type skips stay`() async throws {
        try await self.note.edit { $0.lines?.append(["kind": "new"]) }
        try await self.note.of(LossyOrder.self).edit { $0.lines.removeFirst() }
        #expect(try await self.note.get()?.lines?.array?.count == 2)
        #expect(try await self.line(1) == #"{"kind":"new"}"#)
    }

    @Test func `values that an edit may have removed unknowingly are journalled, and can be restored`() async throws {
        struct Counted: Codable {
            struct Part: Codable { var n: Int }
            var parts: [Part]
        }
        let parts: JSON = [["n": 1, "c": "r"], ["n": 2, "c": "b"], ["n": 3, "c": "g"]]
        try await self.note.edit { $0.parts = parts }
        try await self.note.of(Counted.self).edit { $0.parts = [.init(n: 8), .init(n: 3)] }
        #expect(try await self.note.get()?.parts == [["n": 8], ["n": 3, "c": "g"]])
        let entry = try #require(try await self.note.journal.last)
        #expect(entry.path.text == "/parts" && entry.reason == .merge)
        #expect(try entry.lostValue == parts)
        try await self.pair.phone["notes"].restore(entry.number)
        #expect(try await self.note.get()?.parts == parts)
        var draft = try await self.note.of(Counted.self).draft()
        draft.value.parts = [.init(n: 8), .init(n: 3)]
        try await draft.save()
        draft.value.parts[0].n = 9
        try await draft.save()
        #expect(try await self.note.journal.count == 2)
    }

    @Test func `a set, which has another order, keeps the members of its elements`() async throws {
        struct Lines: Codable { var lines: Set<Line> }
        try await self.note.edit { $0.lines = [["id": 7, "count": 1, "c": 7], ["id": 3, "count": 1, "c": 3]] }
        try await self.note.of(Lines.self).edit { $0.lines.insert(Line(id: 5, count: 1)) }
        let lines = try #require(try await self.note.get()?.lines?.array)
        #expect(Set(lines) == [["id": 7, "count": 1, "c": 7], ["id": 3, "count": 1, "c": 3], ["id": 5, "count": 1]])
    }

    enum Color: String, Codable { case red, green, blue }

    struct Counts: Codable, Equatable { var m: [Color: Int] }

    @Test func `an edit and a draft change a dictionary that another program wrote in any order`() async throws {
        try await self.note.edit { $0.m = ["red", 1, "blue", 1, "green", 2] }
        try await self.note.of(Counts.self).edit { $0.m[.red] = 7 }
        #expect(try await self.note.get()?.m == ["red", 7, "blue", 1, "green", 2])
        var draft = try await self.note.of(Counts.self).draft()
        draft.value.m[.blue] = nil
        try await draft.save()
        #expect(try await self.note.get()?.m == ["red", 7, "green", 2])
        #expect(!draft.hasChanges)
        #expect(try await self.note.journal.isEmpty)
    }

    @Test func `an array that the type would misread is one value, and the former one is journalled`() async throws {
        struct Point: Codable, Hashable { var x: Int }
        struct Names: Codable, Equatable { var m: [Point: Int] }
        let former: JSON = [["x": 3], 1, ["x": 1], 1, ["x": 2], 2]
        try await self.note.edit { $0.m = former }
        var draft = try await self.note.of(Names.self).draft()
        draft.value.m[Point(x: 3)] = 7
        try await draft.save()
        try await draft.save()
        #expect(try await self.note.of(Names.self).get() == draft.value)
        #expect(try await self.note.journal.map(\.path.text) == ["/m"])
        #expect(try await self.note.journal.first?.lostValue == former)
    }
}
