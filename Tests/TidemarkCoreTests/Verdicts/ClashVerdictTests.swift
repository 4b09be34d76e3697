import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Two meanings of "take" (SPEC §4): an answer to a question settles what was asked, and merges the rest.
@Suite struct ClashVerdictTests {
    private static let asking = try? FieldRules([
        ("/price", .ask), ("/count", .sum), ("/lines", .keyed("id")), ("/lines/*/n", .ask),
    ])

    /// The tablet has changed what the phone has changed, and both have changed something of their own.
    private static func meeting(
        _ tactic: any Tactic = .autoMerge, base: JSON, phone: JSON, tablet: JSON
    ) throws -> Meeting {
        let rules = CollectionRules(tactic: tactic, fields: try #require(Self.asking))
        let meeting = try Meeting(configuration: SyncConfiguration(rules: rules))
        try meeting.phone.create(base, pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0 = phone }
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") { $0 = tablet }
        try meeting.sync(meeting.tablet)
        return meeting
    }

    private static func resolve(_ meeting: Meeting, _ verdict: Verdict) throws {
        let conflict = try #require(try meeting.tablet.engine.conflict(of: "42", in: Meeting.collection))
        try meeting.tablet.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, verdict).effects }
        try meeting.settle()
        try meeting.expectAgreement("42")
    }

    private static func lines(_ device: Device) throws -> [String] {
        try device.journal().map { entry in
            let value = entry.raw.value.map { String(decoding: $0, as: UTF8.self) } ?? "removed"
            return "\(entry.reason): \(entry.lostSide) \(entry.path) \(value)"
        }
    }

    private static let base: JSON = ["price": 1, "count": 1, "title": "Milk"]
    private static let there: JSON = ["price": 2, "count": 2, "title": "Milk", "shop": "corner"]
    private static let here: JSON = ["price": 3, "count": 11, "title": "Oat milk"]

    @Test(arguments: [
        (Verdict.Side.client, 3, "take-client: server /price 2"), (.server, 2, "take-server: client /price 3"),
    ])
    func `ask-about-one-field: what nobody was asked about is merged, whoever is taken`(
        side: Verdict.Side, price: Int, line: String
    ) throws {
        let meeting = try Self.meeting(base: Self.base, phone: Self.there, tablet: Self.here)
        try Self.resolve(meeting, .clashes(side))
        let number = JSON.number(JSONNumber(price))
        #expect(
            try meeting.onServer("42") == ["price": number, "count": 12, "title": "Oat milk", "shop": "corner"])
        #expect(try Self.lines(meeting.tablet) == [line])
    }

    @Test(arguments: [(Verdict.takeClient, here), (.takeServer, there)])
    func `ask-about-one-field: the record as a whole is the other meaning`(verdict: Verdict, final: JSON) throws {
        let meeting = try Self.meeting(base: Self.base, phone: Self.there, tablet: Self.here)
        try Self.resolve(meeting, verdict)
        #expect(try meeting.onServer("42") == final)
    }

    @Test func `a tactic that asks about everything is answered about everything that clashes`() throws {
        let meeting = try Self.meeting(
            .askUser, base: ["a": 1, "b": 1, "c": 1], phone: ["a": 2, "b": 2, "c": 1], tablet: ["a": 3, "b": 3, "c": 3])
        try Self.resolve(meeting, .clashes(.server))
        #expect(try meeting.onServer("42") == ["a": 2, "b": 2, "c": 3])
        #expect(try Self.lines(meeting.tablet) == ["take-server: client /a 3", "take-server: client /b 3"])
    }

    @Test(arguments: [Verdict.Side.server, .client])
    func `of an object in an array only the field that clashes is settled`(side: Verdict.Side) throws {
        let meeting = try Self.meeting(
            base: ["lines": [["id": 1, "n": 1, "t": "a"]]],
            phone: ["lines": [["id": 1, "n": 2, "t": "a"], ["id": 2, "n": 2]]],
            tablet: ["lines": [["id": 1, "n": 3, "t": "b"], ["id": 3, "n": 3]]])
        try Self.resolve(meeting, .clashes(side))
        let n: JSON = side == .server ? 2 : 3
        #expect(
            try meeting.onServer("42") == [
                "lines": [["id": 1, "n": n, "t": "b"], ["id": 2, "n": 2], ["id": 3, "n": 3]]
            ])
    }

    @Test func `of two orders of an array the one of the side stands, with what both have put in`() throws {
        func line(_ ids: Int...) -> JSON {
            ["lines": .array(ids.map { ["id": .number(JSONNumber($0))] })]
        }
        let meeting = try Self.meeting(
            .askUser, base: line(1, 2, 3), phone: line(3, 2, 1, 4), tablet: line(2, 1, 3, 5))
        try Self.resolve(meeting, .clashes(.server))
        let ids = try meeting.onServer("42")?["lines"]?.array?.compactMap { $0["id"]?.int }
        #expect(ids?.filter { $0 < 4 } == [3, 2, 1])
        #expect(Set(ids ?? []) == [1, 2, 3, 4, 5])
    }

    @Test(arguments: [Verdict.Side.server, .client])
    func `of a deletion the side stands as a whole`(side: Verdict.Side) throws {
        let rules = CollectionRules(tactic: .askUser)
        let meeting = try Meeting(configuration: SyncConfiguration(rules: rules))
        try meeting.phone.create(["a": 1], pk: "42")
        try meeting.settle()
        try meeting.phone.delete("42")
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") { $0.a = 2 }
        try meeting.sync(meeting.tablet)
        try Self.resolve(meeting, .clashes(side))
        #expect(try meeting.onServer("42") == (side == .server ? nil : ["a": 2]))
        #expect(try meeting.tablet.journal().count == 1)
    }

    @Test func `a tactic of the app may settle the clashes, too`() throws {
        struct ServerOnClashes: Tactic {
            func decide(_ conflict: RecordConflict) -> Verdict? { .clashes(.server) }
        }
        let meeting = try Self.meeting(
            ServerOnClashes(), base: Self.base, phone: Self.there, tablet: Self.here)
        try meeting.settle()
        #expect(
            try meeting.onServer("42") == ["price": 2, "count": 12, "title": "Oat milk", "shop": "corner"])
        #expect(try Self.lines(meeting.tablet) == ["take-server: client /price 3"])
    }

    @Test func `R22 ask-about-one-field: an answer to facts that have moved on is refused`() throws {
        let meeting = try Self.meeting(base: Self.base, phone: Self.there, tablet: Self.here)
        let conflict = try #require(try meeting.tablet.engine.conflict(of: "42", in: Meeting.collection))
        try meeting.phone.edit("42") { $0.price = 4 }
        try meeting.sync(meeting.phone)
        try meeting.sync(meeting.tablet)
        var resolution = SyncEngine.Resolution.settled
        try meeting.tablet.run { (engine) throws(TidemarkError) in
            let outcome = try engine.resolve(conflict, .clashes(.client))
            resolution = outcome.value
            return outcome.effects
        }
        #expect(resolution == .stale)
        #expect(try meeting.tablet.phase("42") == .edited(.deciding))
    }
}
