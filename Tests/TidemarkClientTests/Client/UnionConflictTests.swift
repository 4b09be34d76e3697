import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §4: two devices set an enum with a payload") struct UnionConflictTests {
    enum State: Codable, Equatable, Sendable {
        case idle
        case run(n: Int)
        case done(at: Int)
    }

    struct Job: Codable, Equatable, Sendable {
        var state: State
        var title = "t"
    }

    /// Both devices change the case, and all changes are synced.
    private func pair(_ rules: [(String, any FieldRule)] = []) async throws -> ClientPair {
        var configuration = SyncConfiguration()
        configuration["notes"].fields = try FieldRules(rules)
        let pair = try ClientPair(configuration)
        try await pair.phone["notes"].of(Job.self).create(Job(state: .idle), pk: "42")
        try await pair.settle()
        try await pair.tablet["notes"]["42"].of(Job.self).edit { $0.state = .run(n: 1) }
        try await pair.note.of(Job.self).edit { $0.state = .done(at: 2) }
        return pair
    }

    @Test func `one case wins, the other is in the journal, and is restored as a whole`() async throws {
        let pair = try await self.pair()
        for _ in 0..<3 { try await pair.settle() }
        let (mine, theirs) = (
            try await pair.note.of(Job.self).get(), try await pair.tablet["notes"]["42"].of(Job.self).get()
        )
        #expect(mine == theirs)
        let lost = try await pair.note.journal + pair.tablet["notes"]["42"].journal
        #expect(lost.count == 1)
        let entry = try #require(lost.first)
        #expect(entry.path.text == "/state")
        let device = try await pair.note.journal.isEmpty ? pair.tablet : pair.phone
        try await device["notes"].restore(entry.number)
        let restored = try await device["notes"]["42"].of(Job.self).get()?.state
        #expect(restored != mine?.state && restored != .idle)
    }

    @Test func `a rule decides about the case`() async throws {
        let pair = try await self.pair([("/state", .ask)])
        for _ in 0..<3 { try await pair.settle() }
        let open = try await pair.phone["notes"].conflicts + pair.tablet["notes"].conflicts
        #expect(open.map { $0.conflict.asked.map(\.path.text) } == [["/state"]])
    }

    @Test(arguments: [nil, "/state/run/n"])
    func `a discarded change of the case is restored as a whole`(rule: String?) async throws {
        let pair = try await self.pair(rule.map { [($0, FieldRules.Sum())] } ?? [])
        try await pair.note.resign()
        #expect(try await pair.note.of(Job.self).get()?.state == .idle)
        let entry = try #require(try await pair.note.journal.last)
        #expect(entry.path.text == "/state")
        try await pair.phone["notes"].restore(entry.number)
        #expect(try await pair.note.of(Job.self).get()?.state == .done(at: 2))
    }

    @Test func `a whole object is discarded and restored as a whole`() async throws {
        var configuration = SyncConfiguration()
        configuration["notes"].fields = try FieldRules([("/price", .whole)])
        let pair = try ClientPair(configuration)
        try await pair.phone["notes"].create(["price": ["amount": 10, "currency": "EUR"]], pk: "42")
        try await pair.settle()
        try await pair.tablet["notes"]["42"].edit { $0.price?.currency = "JPY" }
        try await pair.note.edit { $0.price?.amount = 1500 }
        for _ in 0..<3 { try await pair.settle() }
        let merged = try #require(try await pair.note.get()?.price)
        #expect(merged == ["amount": 1500, "currency": "EUR"] || merged == ["amount": 10, "currency": "JPY"])
        #expect(try await pair.tablet["notes"]["42"].get()?.price == merged)
        try await pair.note.edit { $0.price?.amount = 20 }
        try await pair.note.resign()
        let entry = try #require(try await pair.note.journal.last)
        #expect(entry.path.text == "/price")
        #expect(try entry.lostValue?.currency == merged.currency)
    }
}
