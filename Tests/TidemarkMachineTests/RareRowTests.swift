import Testing
import TidemarkMachine
import TidemarkRules

/// The rows of the table that no simulation takes; `SimulationRows` has the reasons.
@Suite struct RareRowTests {
    struct Row {
        var start = Subject.synced
        var inputs: [Machine.Input]
        var source: RecordPhase
        var event: RecordEvent
    }

    private static let repeated: [Row] = [
        Row(inputs: [.feedRow(.version1)], source: .synced, event: .repeated),
        Row(inputs: [.edit(a: 2), .send("r1"), .feedRow(.version1)], source: .edited(.uploading), event: .repeated),
        Row(
            start: .absent, inputs: [.create(a: 1), .send("r1"), .feedRow(.nothing)], source: .created(.uploading),
            event: .repeated),
        Row(inputs: [.delete, .send("r1"), .feedRow(.version1)], source: .deleted(.uploading), event: .repeated),
    ]

    private static let seen: [Row] = [
        Row(inputs: [.edit(a: 2), .send("r1"), .feedRow(.row(2, a: 3))], source: .edited(.uploading), event: .seen),
        Row(
            start: .absent, inputs: [.create(a: 1), .send("r1"), .feedRow(.row(1, a: 3))], source: .created(.uploading),
            event: .seen),
        Row(inputs: [.delete, .send("r1"), .feedRow(.row(2, a: 3))], source: .deleted(.uploading), event: .seen),
    ]

    private static let held: [Row] = [
        Row(inputs: [.edit(a: 2), .feedRow(.row(2, a: 3)), .hold], source: .edited(.deciding), event: .exhausted),
        Row(
            start: .absent, inputs: [.create(a: 1), .feedRow(.row(1, a: 3)), .hold], source: .created(.deciding),
            event: .exhausted),
        Row(inputs: [.delete, .feedRow(.row(2, a: 3)), .hold], source: .deleted(.deciding), event: .exhausted),
        Row(
            start: .absent, inputs: [.create(a: 1), .feedRow(.row(1, a: 3)), .delete, .hold, .create(a: 2)],
            source: .deleted(.held), event: .createdAgain),
        Row(
            start: .absent, inputs: [.create(a: 1), .feedRow(.row(1, a: 3)), .delete, .hold, .resign],
            source: .deleted(.held), event: .abandoned),
        Row(
            inputs: [
                .edit(a: 2), .send("r1"), .edit(a: 3), .answered(.accepted(.tombstone(2))), .hold, .resign,
            ], source: .edited(.held), event: .abandoned),
    ]

    private static let recognized: [Row] = [
        Row(
            inputs: [.edit(a: 2), .sendUnrepeated("r1"), .lost, .hold, .feedRow(.row(2, a: 2))], source: .edited(.held),
            event: .accepted),
        Row(
            start: .absent,
            inputs: [.create(a: 1), .sendUnrepeated("r1"), .lost, .hold, .feedRow(.row(1, a: 1, b: 0))],
            source: .created(.held), event: .accepted),
        Row(
            start: .absent,
            inputs: [
                .create(a: 1), .sendUnrepeated("r1"), .edit(a: 2, b: 0), .lost, .hold, .feedRow(.row(1, a: 1, b: 0)),
            ], source: .created(.held), event: .acceptedEarlier),
        Row(
            inputs: [.delete, .sendUnrepeated("r1"), .lost, .hold, .feedRow(.nothing)], source: .deleted(.held),
            event: .accepted),
        Row(
            inputs: [.edit(a: 2), .sendUnrepeated("r1"), .delete, .lost, .hold, .feedRow(.row(2, a: 2))],
            source: .deleted(.held), event: .acceptedEarlier),
        Row(
            start: .absent,
            inputs: [.create(a: 1), .send("r1"), .lost, .send("r2"), .answered(.accepted(.tombstone(2)))],
            source: .created(.uploading), event: .acceptedThenDeleted),
    ]

    @Test(arguments: Self.repeated + Self.seen + Self.held + Self.recognized)
    func `a row that no simulation takes is taken (I7)`(row: Row) throws {
        var subject = row.start
        for input in row.inputs.dropLast() { try subject.take(input) }
        #expect(subject.phase == row.source)
        let count = subject.events.count
        try subject.take(try #require(row.inputs.last))
        #expect(subject.events[count] == row.event)
    }
}
