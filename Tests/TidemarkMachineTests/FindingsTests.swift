import Testing
import TidemarkMachine
import TidemarkProof

/// What exploration found in the first tables, each as the steps that led to it.
@Suite struct FindingsTests {
    typealias Move = World.Move

    private static let everything: World.Setting.Features = [
        .memory, .others, .losses, .ghosts, .refusals, .resigning, .purges,
    ]

    /// Takes the steps one by one, and says what the first violation is.
    private func violation(_ start: World.Setting.Start, _ moves: [Move]) -> String? {
        var world = World(World.Setting("a finding", start: start, inputs: 15, features: Self.everything))
        for move in moves {
            guard world.moves.contains(move) else { return "\(move) can't be taken after \(world.machine.phase)" }
            world = world.taking(move)
            if let violation = world.violation { return violation }
        }
        return nil
    }

    @Test func `I3 a tombstone that is listed while a conflict is open ends it, and the older row stays away`() {
        let moves: [Move] = [
            .delete, .post, .otherEdits(.a), .deliver, .receive, .otherDeletes, .get, .deliver, .receive,
        ]
        #expect(self.violation(.inStep, moves) == nil)
    }

    @Test func `I1 an own write that another device wrote on is no licence to write over that`() {
        let moves: [Move] = [
            .edit(.a), .post, .deliver, .timeOut, .edit(.b), .otherEdits(.b), .get, .deliver, .receive,
        ]
        #expect(self.violation(.inStep, moves) == nil)
    }

    @Test func `I11 a create that met an earlier one of ours is deleted there, and not forgotten`() {
        let moves: [Move] = [
            .create(.first), .post, .timeOut, .hold, .deliverGhost(0), .edit(.a), .post, .deliver, .delete, .receive,
            .post, .deliver, .receive,
        ]
        #expect(self.violation(.nothing, moves) == nil)
    }

    @Test func `I11 a held create that was edited and deleted is settled with its own bytes`() throws {
        let subject = try Subject(
            .absent, after: .create(a: 1), .send("r1"), .lost, .hold, .edit(a: 2, b: 0), .hold, .delete)
        #expect(subject.phase == .deleted(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
    }

    @Test func `I9 an edit of a held counter is not counted twice, whoever counted meanwhile`() {
        let moves: [Move] = [
            .edit(.count), .post, .deliver, .timeOut, .otherEdits(.count), .hold, .edit(.count),
        ]
        var world = World(
            World.Setting("a counter", start: .inStep, inputs: 15, features: [.memory, .counting, .others, .losses]))
        for move in moves { world = world.taking(move) }
        while let move = world.moves.first(where: world.isProgress) { world = world.taking(move) }
        #expect(world.violation == nil)
        #expect(world.machine.phase == .synced)
        #expect(world.machine.confirmed.content?.b == 4)
    }

    @Test func `I6 the answer to a resend does not hide a newer row`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .lost, .listed(.row(3, a: 4)), .send("r1"),
            .answered(.conflicted(.row(2, a: 3))))
        #expect(subject.machine.seen == .row(3, a: 4))
    }

    @Test func `I1 an answer given again with a later row overwrites nothing of it unseen`() throws {
        let edited = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .lost, .edit(a: 2, b: 3), .send("r1"),
            .answered(.accepted(.row(3, a: 2, b: 4))))
        #expect(edited.phase == .edited(.deciding))
        let deleted = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .lost, .delete, .send("r1"),
            .answered(.accepted(.row(3, a: 2, b: 4))))
        #expect(deleted.phase == .deleted(.deciding))
    }

    @Test func `R4 what the server itself made of an edit asks nobody`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .edit(a: 2, b: 3), .answered(.accepted(.row(2, a: 2, b: 4))))
        #expect(subject.phase == .edited(.idle))
    }

    @Test func `I3 a row that was seen before the own write was recognised does not come back`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .sendUnrepeated("r1"), .lost, .listed(.row(3, a: 4)), .listed(.row(4, a: 2)))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(4, a: 2)))
    }

    @Test func `I3 a conflict about a row that is gone without a trace is none`() throws {
        let subject = try Subject(
            .absent, after: .create(a: 1), .send("r1"), .answered(.conflicted(.row(1, a: 3, b: 0))), .listed(.nothing))
        #expect(subject.phase == .created(.idle))
        #expect(subject.machine.confirmed == .nothing)
    }

    @Test func `I3 a delete whose conflict was about an older row goes on`() throws {
        let machine = Machine(phase: .deleted(.deciding), confirmed: .row(2, a: 2), seen: .row(1, a: 1))
        let subject = try Subject(Subject(machine: machine), after: .listed(.row(2, a: 2)))
        #expect(subject.phase == .deleted(.idle))
        #expect(subject.machine.seen == nil)
    }
}
