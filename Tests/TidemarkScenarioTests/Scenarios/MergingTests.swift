import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Both sides change one record, in every order.
@Suite struct MergingTests {
    /// Steps that happen once each, in some order; a POST begins before its answer arrives.
    enum Step: CaseIterable {
        case edit
        case editAgain
        case begin
        case carry
        case elsewhere
    }

    /// Every order of the five steps.
    static let orders: [[Step]] = Self.permutations(Step.allCases).filter { order in
        (order.firstIndex(of: .begin) ?? 0) < (order.firstIndex(of: .carry) ?? 0)
    }

    private static func permutations(_ steps: [Step]) -> [[Step]] {
        guard !steps.isEmpty else { return [[]] }
        return steps.indices.flatMap { index in
            var rest = steps
            let first = rest.remove(at: index)
            return Self.permutations(rest).map { [first] + $0 }
        }
    }

    private static func play(_ order: [Step], field: String, loses: Bool, restarts: Bool) throws -> SyncScenario {
        let scenario = try SyncScenario()
        try scenario.phone.create(["title": "Milk", "count": 1], pk: "42")
        try scenario.settle()
        for step in order {
            switch step {
            case .edit: try scenario.phone.edit("42") { $0.title = "phone 1" }
            case .editAgain: try scenario.phone.edit("42") { $0.title = "phone 2" }
            case .begin: try scenario.phone.sync(SyncScenario.collection)
            case .carry where restarts:
                for ghost in try scenario.phone.restart() { _ = try scenario.remote.exchangeNow(ghost.request) }
            case .carry where loses: try scenario.loseAnswer(scenario.phone)
            case .carry: try scenario.carryOne(scenario.phone)
            case .elsewhere:
                try scenario.tablet.edit("42") { $0[field] = "tablet" }
                try scenario.sync(scenario.tablet)
            }
        }
        try scenario.carry(scenario.phone)
        try scenario.settle()
        return scenario
    }

    @Test(arguments: MergingTests.orders, ["", "lost", "killed"])
    func `server-newer-than-pending: edits of different fields all stay, in any order`(
        order: [Step], trouble: String
    ) throws {
        let scenario = try Self.play(order, field: "count", loses: trouble == "lost", restarts: trouble == "killed")
        let last = order.last { $0 == .edit || $0 == .editAgain }
        let title: JSON = last == .edit ? "phone 1" : "phone 2"
        #expect(try scenario.onServer("42") == ["title": title, "count": "tablet"])
        try scenario.expectAgreement("42")
        #expect(try scenario.phone.journal().isEmpty)
        #expect(try scenario.tablet.journal().isEmpty)
    }

    @Test(arguments: MergingTests.orders, ["", "lost", "killed"])
    func `server-newer-than-pending: a loser is journalled unless its overwriter saw it`(
        order: [Step], trouble: String
    ) throws {
        let scenario = try Self.play(order, field: "title", loses: trouble == "lost", restarts: trouble == "killed")
        try scenario.expectAgreement("42")
        let final = try #require(try scenario.onServer("42")?.title)
        let last: JSON = order.last { $0 == .edit || $0 == .editAgain } == .edit ? "phone 1" : "phone 2"
        #expect([last, "tablet"].contains(final))
        let journalled = try (scenario.phone.journal() + scenario.tablet.journal()).compactMap { entry in
            entry.raw.value.map { String(decoding: $0, as: UTF8.self) }
        }
        if final == last {
            // The phone's value won: the phone had read the tablet's value before its last edit, or it journals that value.
            let sawIt = scenario.phone.changes.contains { $0.origin == .server }
            #expect(sawIt || journalled.contains(#""tablet""#))
        } else {
            // The tablet's value won: the tablet had read the phone's last value before it wrote, or it journals that value.
            let sawIt = scenario.tablet.changes.contains { $0.origin == .server }
            #expect(sawIt || journalled.contains(last.text))
        }
    }

    @Test(arguments: ["phone", "tablet"])
    func `fork: keepBoth makes two records on both devices, despite a kill after it`(who: String) throws {
        let scenario = try SyncScenario(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try scenario.phone.create(["title": "Milk"], pk: "42")
        try scenario.settle()
        let (decider, other) = who == "phone" ? (scenario.phone, scenario.tablet) : (scenario.tablet, scenario.phone)
        try other.edit("42") { $0.title = "theirs" }
        try scenario.sync(other)
        try decider.edit("42") { $0.title = "mine" }
        try scenario.sync(decider)
        let conflict = try #require(try decider.engine.conflict(of: "42", in: SyncScenario.collection))
        try decider.run { (engine) throws(TidemarkError) in
            try engine.resolve(conflict, .keepBoth(newPK: "fork")).effects
        }
        try decider.restart()
        try decider.sync(SyncScenario.collection)
        try scenario.loseAnswer(decider)
        try decider.edit("fork") { $0.more = true }
        try scenario.settle()
        #expect(try scenario.onServer("42") == ["title": "theirs"])
        #expect(try scenario.onServer("fork") == ["title": "mine", "more": true])
        try scenario.expectAgreement("42")
        try scenario.expectAgreement("fork")
    }

    @Test(arguments: [
        (#"{"a":{"b":1,"c":1}}"#, #"{"a":7}"#, #"{"a":{"b":2,"c":1}}"#),
        (#"{"a":{"b":1,"c":1}}"#, #"{}"#, #"{"a":{"b":2,"c":1}}"#),
        (#"{"a":7}"#, #"{"a":{"b":1}}"#, #"{"a":8}"#),
        (#"{"a":[1]}"#, #"{"a":{"0":1}}"#, #"{"a":[1,2]}"#),
    ])
    func `nested-object-vs-scalar: the client's value wins, the server's is journalled`(
        base: String, server: String, client: String
    ) throws {
        let scenario = try SyncScenario()
        try scenario.phone.create(try JSON(parsing: base), pk: "42")
        try scenario.settle()
        let (theirs, mine) = (try JSON(parsing: server), try JSON(parsing: client))
        try scenario.tablet.edit("42") { $0 = theirs }
        try scenario.sync(scenario.tablet)
        try scenario.phone.edit("42") { $0 = mine }
        try scenario.settle()
        #expect(try scenario.onServer("42") == mine)
        try scenario.expectAgreement("42")
        let entry = try #require(try scenario.phone.journal().first)
        #expect(entry.path.text == "/a")
        #expect(try entry.lostValue == theirs["a"])
    }

    @Test(arguments: ["null", "removed", "absent"])
    func `null-is-a-value: a null and a removal stay distinct on all devices`(what: String) throws {
        let scenario = try SyncScenario()
        try scenario.phone.create(what == "absent" ? ["n": 1] : ["n": 1, "a": 1], pk: "42")
        try scenario.settle()
        switch what {
        case "null": try scenario.phone.edit("42") { $0.a = .null }
        case "removed": try scenario.phone.edit("42") { $0.a = nil }
        default: break
        }
        try scenario.tablet.edit("42") { $0.n = 2 }
        try scenario.settle()
        #expect(try scenario.onServer("42") == (what == "null" ? ["n": 2, "a": .null] : ["n": 2]))
        try scenario.expectAgreement("42")
    }
}
