import Testing
import TidemarkMachine
import TidemarkProof

/// Errors that exploration found in the first tables, each as the steps that led to it.
@Suite struct FindingsTests {
    typealias Move = World.Move

    private static let everything: World.Setting.Features = [
        .memory, .others, .losses, .ghosts, .refusals, .resigning, .purges,
    ]

    /// Takes the steps one by one, and returns the first violation.
    private func violation(_ start: World.Setting.Start, _ moves: [Move]) -> String? {
        var world = World(World.Setting("a finding", start: start, inputs: 15, features: Self.everything))
        for move in moves {
            guard world.moves.contains(move) else { return "\(move) can't be taken after \(world.machine.phase)" }
            world = world.taking(move)
            if let violation = world.violation { return violation }
        }
        return nil
    }

    @Test func `a tombstone in the feed ends an open conflict about an older row (I3)`() {
        let moves: [Move] = [
            .delete, .post, .otherEdits(.a), .deliver, .receive, .otherDeletes, .get, .deliver, .receive,
        ]
        #expect(self.violation(.inSync, moves) == nil)
    }

    @Test func `a recognized own write does not overwrite another device's later write (I1)`() {
        let moves: [Move] = [
            .edit(.a), .post, .deliver, .timeOut, .edit(.b), .otherEdits(.b), .get, .deliver, .receive,
        ]
        #expect(self.violation(.inSync, moves) == nil)
    }

    @Test func `a create that conflicts with an own earlier create is deleted on the server (I11)`() {
        let moves: [Move] = [
            .create(.first), .post, .timeOut, .hold, .deliverGhost(0), .edit(.a), .post, .deliver, .delete, .receive,
            .post, .deliver, .receive,
        ]
        #expect(self.violation(.nothing, moves) == nil)
    }

    @Test func `a held create that was edited and deleted is re-sent with its own bytes (I11)`() throws {
        let subject = try Subject(
            .absent, after: .create(a: 1), .send("r1"), .lost, .hold, .edit(a: 2, b: 0), .hold, .delete)
        #expect(subject.phase == .deleted(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
    }

    @Test func `an edit of a held counter is not counted twice (I9)`() {
        let moves: [Move] = [
            .edit(.count), .post, .deliver, .timeOut, .otherEdits(.count), .hold, .edit(.count),
        ]
        var world = World(
            World.Setting("a counter", start: .inSync, inputs: 15, features: [.memory, .counting, .others, .losses]))
        for move in moves { world = world.taking(move) }
        while let move = world.moves.first(where: world.isProgress) { world = world.taking(move) }
        #expect(world.violation == nil)
        #expect(world.machine.phase == .synced)
        #expect(world.machine.confirmed.content?.b == 4)
    }

    @Test func `the answer to a resend does not hide a newer row (I6)`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .lost, .feedRow(.row(3, a: 4)), .send("r1"),
            .answered(.conflicted(.row(2, a: 3))))
        #expect(subject.machine.seen == .row(3, a: 4))
    }

    @Test func `a repeated answer with a later row does not overwrite that row (I1)`() throws {
        let edited = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .lost, .edit(a: 2, b: 3), .send("r1"),
            .answered(.accepted(.row(3, a: 2, b: 4))))
        #expect(edited.phase == .edited(.deciding))
        let deleted = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .lost, .delete, .send("r1"),
            .answered(.accepted(.row(3, a: 2, b: 4))))
        #expect(deleted.phase == .deleted(.deciding))
    }

    @Test func `a server's own change of an accepted edit makes no conflict (R4)`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .edit(a: 2, b: 3), .answered(.accepted(.row(2, a: 2, b: 4))))
        #expect(subject.phase == .edited(.idle))
    }

    @Test func `a row from before the recognized own write is not restored (I3)`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .sendUnrepeated("r1"), .lost, .feedRow(.row(3, a: 4)), .feedRow(.row(4, a: 2)))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(4, a: 2)))
    }

    @Test func `a conflict about a row that disappeared without a tombstone ends (I3)`() throws {
        let subject = try Subject(
            .absent, after: .create(a: 1), .send("r1"), .answered(.conflicted(.row(1, a: 3, b: 0))), .feedRow(.nothing))
        #expect(subject.phase == .created(.idle))
        #expect(subject.machine.confirmed == .nothing)
    }

    @Test func `a delete whose conflict was about an older row continues (I3)`() throws {
        let machine = Machine(phase: .deleted(.deciding), confirmed: .row(2, a: 2), seen: .row(1, a: 1))
        let subject = try Subject(Subject(machine: machine), after: .feedRow(.row(2, a: 2)))
        #expect(subject.phase == .deleted(.idle))
        #expect(subject.machine.seen == nil)
    }
}
