import Testing
import TidemarkMachine
import TidemarkRules

@Suite struct RecordMachineServerTests {
    @Test(arguments: [Machine.Answer.refusedAsMissing, .accepted(.tombstone(2)), .accepted(.nothing)])
    func `a delete of a record that the server no longer has is done (R8)`(answer: Machine.Answer) throws {
        let subject = try Subject(.synced, after: .delete, .send("r1"), .answered(answer))
        #expect(subject.machine == Machine())
    }

    @Test func `a delete and a tombstone in the feed remove the record without a conflict (R9)`() throws {
        let subject = try Subject(.synced, after: .delete, .feedRow(.tombstone(2)))
        #expect(subject.machine == Machine())
        #expect(!subject.actions.contains(.runTactic))
    }

    @Test func `a row replaces the data of a SYNCD record and notifies the app (R10)`() throws {
        let subject = try Subject(.synced, after: .feedRow(.row(2, a: 3)))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 3)))
        #expect(subject.actions == [.save, .notify])
    }

    @Test func `a tombstone removes a SYNCD record (R10)`() throws {
        let subject = try Subject(.synced, after: .feedRow(.tombstone(2)))
        #expect(subject.machine == Machine())
    }

    @Test func `a row that changed another field becomes the base of the local change (R11)`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .feedRow(.row(2, a: 1, b: 3)))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.edits == .replacing(a: 2))
        #expect(try subject.view == RecordPayload(a: 2, b: 3))
        #expect(!subject.actions.contains(.runTactic))
    }

    @Test func `the same change on both sides ends in SYNCD (R12)`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .feedRow(.row(2, a: 2)))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2)))
    }

    @Test func `two values for the same field are a conflict edit, edit (R13)`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .feedRow(.row(2, a: 3)))
        #expect(subject.phase == .edited(.deciding))
        #expect(subject.actions.contains(.runTactic))
        let conflict = try #require(try subject.machine.conflict(subject.algebra))
        #expect(conflict.kind == .editEdit)
        #expect(conflict.base == RecordPayload(a: 1, b: 1))
        #expect(conflict.server == .row(2, a: 3))
        #expect(conflict.client == RecordPayload(a: 2, b: 1))
    }

    @Test func `a deletion on the server does not drop a local edit (R14)`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .feedRow(.tombstone(2)))
        #expect(subject.phase == .edited(.deciding))
        #expect(try subject.machine.conflict(subject.algebra)?.kind == .editDelete)
        #expect(try subject.view == RecordPayload(a: 2, b: 1))
    }

    @Test func `a changed row of a record that was deleted here is a conflict (R15)`() throws {
        let subject = try Subject(.synced, after: .delete, .feedRow(.row(2, a: 3)))
        #expect(subject.phase == .deleted(.deciding))
        #expect(try subject.machine.conflict(subject.algebra)?.kind == .deleteEdit)
    }

    @Test func `the same pk created on two devices is a conflict with an empty base (R16)`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .feedRow(.row(1, a: 3, b: 0)))
        let conflict = try #require(try subject.machine.conflict(subject.algebra))
        #expect(conflict.kind == .createCreate)
        #expect(conflict.base == nil)
    }

    @Test func `the same content created on two devices makes no conflict (R16)`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .feedRow(.row(1, a: 1, b: 0)))
        #expect(subject.phase == .synced)
    }

    @Test func `an unconfirmed upload is re-sent with its own request id and bytes (R17)`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost)
        #expect(subject.phase == .edited(.unconfirmed))
        let before = try #require(subject.machine.upload)
        try subject.take(.send("r2"))
        var after = try #require(subject.machine.upload)
        #expect(after.wasResent)
        after.wasResent = false
        #expect(after == before)
    }

    @Test
    func `equal-sums-from-two-devices (R18): a repeated answer decides, not the row`()
        throws
    {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .lost, .send("r1"), .answered(.conflicted(.row(2, a: 2, b: 3))))
        #expect(!subject.events.contains(.accepted))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2, b: 3)))
        #expect(subject.events.suffix(2) == [.conflicted, .converged])
    }

    @Test func `a row of the feed waits for the answer to an unconfirmed request (R18b)`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost, .feedRow(.row(2, a: 2, b: 3)))
        #expect(subject.phase == .edited(.unconfirmed))
        #expect(subject.machine.seen == .row(2, a: 2, b: 3))
        try subject.take(.send("r2"))
        try subject.take(.answered(.accepted(.row(2, a: 2, b: 3))))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2, b: 3)))
    }

    @Test func `an own write in a conflicted answer is recognized by content (R18)`()
        throws
    {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .sendUnrepeated("r1"), .lost, .sendUnrepeated("r1"),
            .answered(.conflicted(.row(2, a: 2))))
        #expect(subject.events.last == .accepted)
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2)))
    }

    @Test func `an own write in the feed is recognized by content (R18b)`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .sendUnrepeated("r1"), .lost, .feedRow(.row(2, a: 2, b: 3)))
        #expect(subject.phase == .synced)
        #expect(try subject.view == RecordPayload(a: 2, b: 3))
    }

    @Test func `a lost history drops the pending row; own writes are recognized by content (R18)`() throws {
        var subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .lost, .feedRow(.row(3, a: 4)), .historyLost)
        #expect(subject.machine.seen == nil)
        try subject.take(.feedRow(.row(2, a: 2)))
        #expect(subject.events.last == .accepted)
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2)))
    }

    @Test func `a first answer that is conflicted is a conflict (R18)`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .answered(.conflicted(.row(2, a: 3))))
        #expect(subject.phase == .edited(.deciding))
        #expect(subject.machine.rounds == 1)
    }

    @Test func `a create that conflicts with a tombstone is re-sent with its version (Contract §5)`() throws {
        var subject = try Subject(.absent, after: .create(a: 1), .send("r1"), .answered(.conflicted(.tombstone(4))))
        #expect(subject.phase == .created(.idle))
        try subject.take(.send("r2"))
        #expect(subject.machine.upload?.version == "4")
    }

    @Test func `a held create stays held after a tombstone`() throws {
        let subject = try Subject(
            .absent, after: .create(a: 7), .send("r1"), .answered(.refused), .feedRow(.tombstone(4)))
        #expect(subject.phase == .created(.held))
        #expect(subject.machine.confirmed == .tombstone(4))
    }

    @Test(arguments: [FailureBlame.unknown, .server, .sender, .answerSize])
    func `a refusal of the sender does not confirm an unconfirmed edit (R17)`(blame: FailureBlame) throws {
        let answer = Machine.Input.answered(Machine.Answer(refusedWhole: blame))
        let sent = try Subject(.synced, after: .edit(a: 2), .send("r1"), answer)
        #expect(sent.events.last == .refused)
        let resent = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost, .send("r1"), answer)
        #expect(resent.events.last == (blame == .sender ? .refusedUnconfirmed : .refused))
    }
}
