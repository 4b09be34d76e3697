import Testing
import TidemarkMachine
import TidemarkRules

/// Errors that an exploration of one record found in the first tables, each as the steps that led to it.
@Suite struct FindingsTests {
    @Test func `a tombstone in the feed ends an open conflict about an older row (I3)`() throws {
        var subject = try Subject(.synced, after: .delete, .send("r1"), .answered(.conflicted(.row(2, a: 3))))
        #expect(subject.phase == .deleted(.deciding))
        try subject.take(.feedRow(.tombstone(3)))
        #expect(subject.machine == Machine())
    }

    @Test(arguments: Recognition.allCases)
    func `a recognized own write does not overwrite another device's later write (I1)`(recognition: Recognition) throws
    {
        var subject = try Subject(
            .synced, after: .edit(a: 2), .send(requestID: "r1", roundLimit: 5, recognition: recognition), .lost,
            .edit(a: 2, b: 2), .feedRow(.row(3, a: 2, b: 3)))
        if recognition == .byAnswer {
            #expect(subject.phase == .edited(.unconfirmed))
            try subject.take(.send("r2"))
            try subject.take(.answered(.accepted(.row(2, a: 2))))
        }
        let conflict = try #require(try subject.machine.conflict(subject.algebra))
        #expect(conflict.base == RecordPayload(a: 2, b: 1))
        #expect(conflict.server == .row(3, a: 2, b: 3))
        #expect(conflict.client == RecordPayload(a: 2, b: 2))
    }

    @Test(arguments: [
        (Recognition.byAnswer, Machine.Answer.accepted(.row(1, a: 1, b: 0))),
        (.byContent, .conflicted(.row(1, a: 1, b: 0))),
    ])
    func `a create that conflicts with an own earlier create is deleted on the server (I11)`(
        recognition: Recognition, answer: Machine.Answer
    ) throws {
        var subject = try Subject(
            .absent, after: .create(a: 1), .send(requestID: "r1", roundLimit: 5, recognition: recognition), .lost,
            .hold,
            .edit(a: 2, b: 0), .send("r2"), .delete, .answered(answer))
        #expect(subject.phase == .deleted(.idle))
        try subject.take(.send("r3"))
        #expect(subject.machine.upload?.intent == .delete)
        #expect(subject.machine.upload?.version == "1")
        try subject.take(.answered(.accepted(.tombstone(2))))
        #expect(subject.machine == Machine())
    }

    @Test func `a held create that was edited and deleted is re-sent with its own bytes (I11)`() throws {
        let subject = try Subject(
            .absent, after: .create(a: 1), .send("r1"), .lost, .hold, .edit(a: 2, b: 0), .hold, .delete)
        #expect(subject.phase == .deleted(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
    }

    @Test func `an edit of a held counter is not counted twice (I9)`() throws {
        var subject = try Subject(
            .counting, after: .edit(a: 1, b: 2), .send("r1"), .lost, .hold, .edit(a: 1, b: 3), .send("r2"),
            .answered(.accepted(.row(2, a: 1, b: 2))), .feedRow(.row(3, a: 1, b: 3)))
        #expect(subject.phase == .edited(.idle))
        #expect(try subject.view == RecordPayload(a: 1, b: 4))
        try subject.take(.send("r3"))
        #expect(subject.machine.upload?.requestID == "r3")
        try subject.take(.answered(.accepted(.row(4, a: 1, b: 4))))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(4, a: 1, b: 4)))
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
