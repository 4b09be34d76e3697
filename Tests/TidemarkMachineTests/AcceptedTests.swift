import Testing
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// *Accepted* is final, with any row in the answer (R4).
@Suite struct AcceptedTests {
    /// `{a1 b1}`, edited to `{a2 b1}`, and sent a second time.
    private static func resent(_ inputs: Machine.Input...) throws -> Subject {
        var subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost)
        for input in inputs { try subject.take(input) }
        try subject.take(.send("r1"))
        return subject
    }

    @Test(arguments: [Machine.ServerState.tombstone(3), .nothing])
    func `an edit that is accepted without a row leaves nothing to send (R4)`(state: Machine.ServerState) throws {
        for wasResent in [false, true] {
            var subject = try wasResent ? Self.resent() : Subject(.synced, after: .edit(a: 2), .send("r1"))
            try subject.take(.answered(.accepted(state)))
            #expect(subject.events.last == .acceptedThenDeleted)
            #expect(subject.machine == Machine())
            #expect(subject.actions == [.erase, .notify])
        }
    }

    @Test(arguments: [Machine.ServerState.tombstone(3), .nothing])
    func `a later edit conflicts with the deletion, with the sent content as base (R14)`(state: Machine.ServerState)
        throws
    {
        var subject = try Self.resent(.edit(a: 2, b: 3))
        try subject.take(.answered(.accepted(state)))
        let conflict = try #require(try subject.machine.conflict(subject.algebra))
        #expect(conflict.kind == .editDelete)
        #expect(conflict.base == RecordPayload(a: 2, b: 1))
        #expect(conflict.client == RecordPayload(a: 2, b: 3))
        #expect(subject.machine.rounds == 0)
        #expect(subject.machine.hasLawfulBase)
    }

    @Test func `a create that is accepted after a later edit conflicts as an edit (R4)`() throws {
        let subject = try Subject(
            .absent, after: .create(a: 1), .send("r1"), .lost, .edit(a: 2, b: 0), .send("r1"),
            .answered(.accepted(.row(2, a: 3, b: 0))))
        let conflict = try #require(try subject.machine.conflict(subject.algebra))
        #expect(conflict.kind == .editEdit)
        #expect(conflict.base == RecordPayload(a: 1))
    }

    @Test func `sum-counted-twice: both sides' increments are added to the sent value (R4)`() throws {
        let subject = try Subject(
            .counting, after: .edit(a: 1, b: 3), .send("r1"), .lost, .edit(a: 1, b: 4), .send("r1"),
            .answered(.accepted(.row(3, a: 1, b: 5))))
        #expect(subject.phase == .edited(.idle))
        #expect(try subject.view == RecordPayload(a: 1, b: 6))
        #expect(subject.machine.base == nil)
    }

    @Test func `later-edit-over-unseen-row: two values for the same field are a conflict (R13)`() throws {
        var subject = try Self.resent(.edit(a: 4))
        try subject.take(.answered(.accepted(.row(3, a: 3))))
        let conflict = try #require(try subject.machine.conflict(subject.algebra))
        #expect(conflict.kind == .editEdit)
        #expect(conflict.base == RecordPayload(a: 2, b: 1))
        #expect(conflict.server == .row(3, a: 3))
        #expect(conflict.client == RecordPayload(a: 4, b: 1))
        try subject.decide(.client)
        let edits = JSONPatch.replacing(a: 4)
        #expect(subject.machine == Machine(phase: .edited(.idle), confirmed: .row(3, a: 3), edits: edits))
    }

    @Test func `later-edit-over-unseen-row: another field is merged (R11)`() throws {
        var subject = try Self.resent(.edit(a: 2, b: 3))
        try subject.take(.answered(.accepted(.row(3, a: 4))))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.edits == .replacing(b: 3))
        #expect(try subject.view == RecordPayload(a: 4, b: 3))
    }

    @Test func `delete-over-unseen-row: a delete conflicts with another device's row (R15)`() throws {
        var subject = try Self.resent(.delete)
        try subject.take(.answered(.accepted(.row(3, a: 3))))
        #expect(subject.phase == .deleted(.deciding))
        #expect(try subject.machine.conflict(subject.algebra)?.base == RecordPayload(a: 2, b: 1))
        try subject.take(.feedRow(.row(3, a: 3)))
        #expect(subject.phase == .deleted(.deciding), "the row is what is asked about, and no older one")
    }

    @Test func `recreated-while-deleting: a create follows the delete, or conflicts (R23)`() throws {
        let waiting = try Subject(.synced, after: .delete, .send("r1"), .create(a: 5))
        var over = waiting
        try over.take(.answered(.accepted(.tombstone(2))))
        #expect(over.phase == .created(.idle))
        #expect(over.machine.confirmed == .tombstone(2))
        var met = waiting
        try met.take(.answered(.accepted(.row(3, a: 3))))
        let conflict = try #require(try met.machine.conflict(met.algebra))
        #expect(conflict.kind == .createCreate)
        #expect(conflict.base == nil)
    }

    @Test func `normalized-while-typing: a first answer makes no conflict (R4)`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .edit(a: 4), .answered(.accepted(.row(2, a: 3))))
        #expect(subject.phase == .edited(.idle))
        #expect(try subject.view == RecordPayload(a: 4, b: 1))
        #expect(subject.events.last == .acceptedEarlier)
    }

    @Test func `later-edit-over-unseen-row: a row of another write makes a conflict (R13)`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .edit(a: 4),
            .answered(.accepted(.row(2, a: 3), origin: .anyWrite)))
        #expect(subject.phase == .edited(.deciding))
    }

    @Test(arguments: [(1, RecordPhase.edited(.idle)), (5, .edited(.deciding))])
    func `a later edit conflicts with another write in a member that was not sent, but not with an altered value (R4)`(
        other: Int, phase: RecordPhase
    ) throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .edit(a: 4, b: 2),
            .answered(.accepted(.row(2, a: 3, b: other), origin: .ownWriteWhereSent)))
        #expect(subject.phase == phase)
        #expect(try subject.view == RecordPayload(a: 4, b: 2))
    }

    @Test func `accepted-delete-of-a-recreated-record: the new record is kept (R4)`() throws {
        let subject = try Subject(.synced, after: .delete, .send("r1"), .answered(.accepted(.row(3, a: 3))))
        #expect(subject.events.suffix(2) == [.accepted, .refreshed])
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(3, a: 3)))
    }

    @Test func `recognized-with-a-clash-elsewhere: the recognized content is the base (R18)`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .sendUnrepeated("r1"), .lost, .edit(a: 2, b: 4), .feedRow(.row(2, a: 2, b: 3)))
        let conflict = try #require(try subject.machine.conflict(subject.algebra))
        #expect(conflict.base == RecordPayload(a: 2, b: 1))
    }

    @Test func `settled-over-a-tombstone: an edit back to the base ends the conflict (R14)`() throws {
        var subject = try Self.resent(.edit(a: 2, b: 3))
        try subject.take(.answered(.accepted(.tombstone(3))))
        try subject.take(.edit(a: 2, b: 1))
        var merge: RecordMerge?
        let settling = try #require(try subject.machine.settling(subject.algebra, &merge))
        try subject.take(settling)
        #expect(subject.machine == Machine())
    }

    @Test func `an edit back to the server's value ends as SYNCD after a conflicted answer (R24)`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .edit(a: 1), .answered(.conflicted(.version1)))
        #expect(subject.phase == .synced)
    }

    @Test func `resigning a held edit of a record deleted on the server removes the record (R20)`() throws {
        var subject = try Self.resent(.edit(a: 2, b: 3))
        try subject.take(.answered(.accepted(.tombstone(3))))
        try subject.take(.hold)
        #expect(subject.machine.hasLawfulBase)
        try subject.take(.resign)
        #expect(subject.machine == Machine())
    }

    @Test func `a row from the feed conflicts with the sent content as the base (R18b)`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost, .edit(a: 4))
        try subject.take(.feedRow(.row(3, a: 3)))
        try subject.take(.send("r1"))
        try subject.take(.answered(.accepted(.row(4, a: 3, b: 2))))
        let conflict = try #require(try subject.machine.conflict(subject.algebra))
        #expect(conflict.server == .row(3, a: 3))
        #expect(conflict.base == RecordPayload(a: 2, b: 1))
        try subject.take(.feedRow(.row(4, a: 3, b: 2)))
        #expect(try subject.machine.conflict(subject.algebra)?.server == .row(4, a: 3, b: 2))
        #expect(try subject.machine.conflict(subject.algebra)?.base == RecordPayload(a: 2, b: 1))
    }
}
