import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Both sides change one record, in every order.
@Suite struct MergingTests {
    /// What happens once each, in some order; a sending is begun before it is answered.
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

    private static func play(_ order: [Step], field: String, loses: Bool, restarts: Bool) throws -> Meeting {
        let meeting = try Meeting()
        try meeting.phone.create(["title": "Milk", "count": 1], pk: "42")
        try meeting.settle()
        for step in order {
            switch step {
            case .edit: try meeting.phone.edit("42") { $0.title = "phone 1" }
            case .editAgain: try meeting.phone.edit("42") { $0.title = "phone 2" }
            case .begin: try meeting.phone.sync(Meeting.collection)
            case .carry where restarts:
                for ghost in try meeting.phone.restart() { _ = try meeting.remote.exchangeNow(ghost.request) }
            case .carry where loses: try meeting.loseAnswer(meeting.phone)
            case .carry: try meeting.carryOne(meeting.phone)
            case .elsewhere:
                try meeting.tablet.edit("42") { $0[field] = "tablet" }
                try meeting.sync(meeting.tablet)
            }
        }
        try meeting.carry(meeting.phone)
        try meeting.settle()
        return meeting
    }

    @Test(arguments: MergingTests.orders, ["", "lost", "killed"])
    func `server-newer-than-pending: of different fields nothing is lost, in any order`(
        order: [Step], trouble: String
    ) throws {
        let meeting = try Self.play(order, field: "count", loses: trouble == "lost", restarts: trouble == "killed")
        let last = order.last { $0 == .edit || $0 == .editAgain }
        let title: JSON = last == .edit ? "phone 1" : "phone 2"
        #expect(try meeting.onServer("42") == ["title": title, "count": "tablet"])
        try meeting.expectAgreement("42")
        #expect(try meeting.phone.journal().isEmpty)
        #expect(try meeting.tablet.journal().isEmpty)
    }

    @Test(arguments: MergingTests.orders, ["", "lost", "killed"])
    func `server-newer-than-pending: of one field the loser is journalled, or was seen by who wrote over it`(
        order: [Step], trouble: String
    ) throws {
        let meeting = try Self.play(order, field: "title", loses: trouble == "lost", restarts: trouble == "killed")
        try meeting.expectAgreement("42")
        let final = try #require(try meeting.onServer("42")?.title)
        let last: JSON = order.last { $0 == .edit || $0 == .editAgain } == .edit ? "phone 1" : "phone 2"
        #expect([last, "tablet"].contains(final))
        let journalled = try (meeting.phone.journal() + meeting.tablet.journal()).compactMap { entry in
            entry.raw.value.map { String(decoding: $0, as: UTF8.self) }
        }
        if final == last {
            // The phone's stands: over a tablet's that it had seen before its last edit, or that it journals.
            let sawIt = meeting.phone.changes.contains { $0.origin == .server }
            #expect(sawIt || journalled.contains(#""tablet""#))
        } else {
            // The tablet's stands: it had the phone's last word when it wrote, or it journals that.
            let sawIt = meeting.tablet.changes.contains { $0.origin == .server }
            #expect(sawIt || journalled.contains(last.text))
        }
    }

    @Test(arguments: ["phone", "tablet"])
    func `fork: keepBoth makes two records that both devices have, whoever decides and is killed after it`(
        who: String
    ) throws {
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try meeting.phone.create(["title": "Milk"], pk: "42")
        try meeting.settle()
        let (decider, other) = who == "phone" ? (meeting.phone, meeting.tablet) : (meeting.tablet, meeting.phone)
        try other.edit("42") { $0.title = "theirs" }
        try meeting.sync(other)
        try decider.edit("42") { $0.title = "mine" }
        try meeting.sync(decider)
        let conflict = try #require(try decider.engine.conflict(of: "42", in: Meeting.collection))
        try decider.run { (engine) throws(TidemarkError) in
            try engine.resolve(conflict, .keepBoth(newPK: "fork")).effects
        }
        try decider.restart()
        try decider.sync(Meeting.collection)
        try meeting.loseAnswer(decider)
        try decider.edit("fork") { $0.more = true }
        try meeting.settle()
        #expect(try meeting.onServer("42") == ["title": "theirs"])
        #expect(try meeting.onServer("fork") == ["title": "mine", "more": true])
        try meeting.expectAgreement("42")
        try meeting.expectAgreement("fork")
    }

    @Test(arguments: [
        (#"{"a":{"b":1,"c":1}}"#, #"{"a":7}"#, #"{"a":{"b":2,"c":1}}"#),
        (#"{"a":{"b":1,"c":1}}"#, #"{}"#, #"{"a":{"b":2,"c":1}}"#),
        (#"{"a":7}"#, #"{"a":{"b":1}}"#, #"{"a":8}"#),
        (#"{"a":[1]}"#, #"{"a":{"0":1}}"#, #"{"a":[1,2]}"#),
    ])
    func `nested-object-vs-scalar: the client's object stands whole, and the server's value is in the journal`(
        base: String, server: String, client: String
    ) throws {
        let meeting = try Meeting()
        try meeting.phone.create(try JSON(parsing: base), pk: "42")
        try meeting.settle()
        let (theirs, mine) = (try JSON(parsing: server), try JSON(parsing: client))
        try meeting.tablet.edit("42") { $0 = theirs }
        try meeting.sync(meeting.tablet)
        try meeting.phone.edit("42") { $0 = mine }
        try meeting.settle()
        #expect(try meeting.onServer("42") == mine)
        try meeting.expectAgreement("42")
        let entry = try #require(try meeting.phone.journal().first)
        #expect(entry.path.text == "/a")
        #expect(try entry.lostValue == theirs["a"])
    }

    @Test(arguments: ["null", "removed", "absent"])
    func `null-is-a-value: it goes to the server and to the other device as what it is`(what: String) throws {
        let meeting = try Meeting()
        try meeting.phone.create(what == "absent" ? ["n": 1] : ["n": 1, "a": 1], pk: "42")
        try meeting.settle()
        switch what {
        case "null": try meeting.phone.edit("42") { $0.a = .null }
        case "removed": try meeting.phone.edit("42") { $0.a = nil }
        default: break
        }
        try meeting.tablet.edit("42") { $0.n = 2 }
        try meeting.settle()
        #expect(try meeting.onServer("42") == (what == "null" ? ["n": 2, "a": .null] : ["n": 2]))
        try meeting.expectAgreement("42")
    }
}
