import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// Says the same whatever it is asked.
private struct Always: Tactic {
    var verdict: Verdict

    func decide(_ conflict: RecordConflict) -> Verdict? { self.verdict }
}

/// What a merged content leaves out of what the sides had changed (SPEC §4).
@Suite struct LeftOutTests {
    /// The tablet meets what the phone has changed, and each has changed something that the other has not.
    private static func meeting(_ tactic: any Tactic, fields: FieldRules = FieldRules()) throws -> Meeting {
        let rules = CollectionRules(tactic: tactic, fields: fields)
        let meeting = try Meeting(configuration: SyncConfiguration(rules: rules))
        try meeting.phone.create(["title": "Milk", "old": 1, "count": 1], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { view in
            view.title = "Oat milk"
            view.price = 3
            view.count = 2
        }
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") { view in
            view.title = "Soy milk"
            view.note = "no sugar"
            view.old = nil
            view.count = 5
        }
        try meeting.sync(meeting.tablet)
        return meeting
    }

    private static func lines(_ device: Device) throws -> [String] {
        try device.journal().map { entry in
            "\(entry.lostSide) \(entry.path) \(entry.raw.value.map { String(decoding: $0, as: UTF8.self) } ?? "removed")"
        }
    }

    private static func resolve(_ device: Device, _ verdict: Verdict) throws {
        let conflict = try #require(try device.engine.conflict(of: "42", in: Meeting.collection))
        try device.run { (engine) throws(TidemarkError) in try engine.resolve(conflict, verdict).effects }
    }

    @Test(arguments: [false, true])
    func `merge-verdict-leaves-out (I2): what only one side had changed is journalled, and comes back`(
        byPerson: Bool
    ) throws {
        let verdict = Verdict.merge(["title": "Soy milk", "old": 1, "count": 5])
        let meeting = try Self.meeting(byPerson ? .askUser : Always(verdict: verdict) as any Tactic)
        if byPerson { try Self.resolve(meeting.tablet, verdict) }
        #expect(
            try Self.lines(meeting.tablet) == [
                "server /count 2", #"server /title "Oat milk""#, #"client /note "no sugar""#, "client /old removed",
                "server /price 3",
            ])
        for entry in try meeting.tablet.journal() where entry.path.text != "/title" {
            try meeting.tablet.run { (engine) throws(TidemarkError) in
                try engine.restore(entry.number, in: Meeting.collection)
            }
        }
        try meeting.settle()
        try meeting.expectAgreement("42")
        #expect(
            try meeting.onServer("42") == ["title": "Soy milk", "note": "no sugar", "price": 3, "count": 2])
    }

    @Test func `merge-verdict-leaves-out: what the rules made of both sides has lost nothing`() throws {
        let fields = try FieldRules([("/count", .sum)])
        let meeting = try Self.meeting(.askUser, fields: fields)
        let conflict = try #require(try meeting.tablet.engine.conflict(of: "42", in: Meeting.collection))
        try Self.resolve(meeting.tablet, .merge(try #require(conflict.merged)))
        #expect(try Self.lines(meeting.tablet) == [#"server /title "Oat milk""#])
        try meeting.settle()
        #expect(try meeting.onServer("42")?.count == 6)
    }

    @Test func `merge-verdict-leaves-out: a person who departs from a rule's value gives up what both had changed`()
        throws
    {
        let fields = try FieldRules([("/count", .sum)])
        let meeting = try Self.meeting(.askUser, fields: fields)
        try Self.resolve(
            meeting.tablet, .merge(["title": "Soy milk", "note": "no sugar", "price": 3, "count": 100]))
        #expect(
            try Self.lines(meeting.tablet) == [
                #"server /title "Oat milk""#, "client /count 5", "server /count 2",
            ])
    }

    @Test func `merge-verdict-leaves-out: of two objects that were added, only what is missing is told`() throws {
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(tactic: .askUser)))
        try meeting.phone.create(["title": "Milk"], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0 = ["title": "Oat", "size": ["x": 1, "y": 2]] }
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") { $0 = ["title": "Soy", "size": ["z": 3]] }
        try meeting.sync(meeting.tablet)
        try Self.resolve(meeting.tablet, .merge(["title": "Soy", "size": ["x": 1, "z": 3]]))
        #expect(try Self.lines(meeting.tablet) == [#"server /title "Oat""#, "server /size/y 2"])
    }

    @Test func `merge-verdict-leaves-out: inside of a keyed array what was decided is told, and no more`() throws {
        let fields = try FieldRules([("/lines", .keyed("id")), ("/lines/*/n", .ask)])
        let meeting = try Meeting(configuration: SyncConfiguration(rules: .init(fields: fields)))
        try meeting.phone.create(["lines": [["id": 1, "n": 1]]], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0 = ["lines": [["id": 1, "n": 2], ["id": 2, "n": 2]]] }
        try meeting.sync(meeting.phone)
        try meeting.tablet.edit("42") { $0 = ["lines": [["id": 1, "n": 3], ["id": 3, "n": 3]]] }
        try meeting.sync(meeting.tablet)
        try Self.resolve(
            meeting.tablet,
            .merge(["lines": [["id": 1, "n": 2], ["id": 2, "n": 2], ["id": 3, "n": 3]]]))
        #expect(try Self.lines(meeting.tablet) == ["client /lines/1/n 3"])
    }
}
