import Testing
import TidemarkMachine
import TidemarkProof

@Suite struct RecordMachineServerTests {
    @Test(arguments: [Machine.Answer.refusedAsMissing, .accepted(.tombstone(2)), .accepted(.nothing)])
    func `R8 a delete of what the server no longer has is done`(answer: Machine.Answer) throws {
        let subject = try Subject(.synced, after: .delete, .send("r1"), .answered(answer))
        #expect(subject.machine == Machine())
    }

    @Test func `R9 a record that both sides deleted is gone without a conflict`() throws {
        let subject = try Subject(.synced, after: .delete, .listed(.tombstone(2)))
        #expect(subject.machine == Machine())
        #expect(!subject.actions.contains(.consult))
    }

    @Test func `R10 a row replaces the data of a SYNCD record, and the app is told`() throws {
        let subject = try Subject(.synced, after: .listed(.row(2, a: 3)))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 3)))
        #expect(subject.actions == [.save, .notify])
    }

    @Test func `R10 a tombstone removes a SYNCD record`() throws {
        let subject = try Subject(.synced, after: .listed(.tombstone(2)))
        #expect(subject.machine == Machine())
    }

    @Test func `R11 a row that changed another field goes under the local change`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .listed(.row(2, a: 1, b: 3)))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.edits == TinyChange(a: 2, b: nil, isWhole: false))
        #expect(try subject.view == TinyContent(a: 2, b: 3))
        #expect(!subject.actions.contains(.consult))
    }

    @Test func `R12 the same change on both sides is no change any more`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .listed(.row(2, a: 2)))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2)))
    }

    @Test func `R13 two values for one field are a conflict edit, edit`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .listed(.row(2, a: 3)))
        #expect(subject.phase == .edited(.deciding))
        #expect(subject.actions.contains(.consult))
        let conflict = try #require(try subject.machine.conflict(subject.algebra))
        #expect(conflict.kind == .editEdit)
        #expect(conflict.base == TinyContent(a: 1, b: 1))
        #expect(conflict.server == .row(2, a: 3))
        #expect(conflict.client == TinyContent(a: 2, b: 1))
    }

    @Test func `R14 a server deletion never drops a local edit by itself`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .listed(.tombstone(2)))
        #expect(subject.phase == .edited(.deciding))
        #expect(try subject.machine.conflict(subject.algebra)?.kind == .editDelete)
        #expect(try subject.view == TinyContent(a: 2, b: 1))
    }

    @Test func `R15 a row that changed while it was deleted here is a conflict delete, edit`() throws {
        let subject = try Subject(.synced, after: .delete, .listed(.row(2, a: 3)))
        #expect(subject.phase == .deleted(.deciding))
        #expect(try subject.machine.conflict(subject.algebra)?.kind == .deleteEdit)
    }

    @Test func `R16 one pk made on two devices is a conflict with an empty base`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .listed(.row(1, a: 3, b: 0)))
        let conflict = try #require(try subject.machine.conflict(subject.algebra))
        #expect(conflict.kind == .createCreate)
        #expect(conflict.base == nil)
    }

    @Test func `R16 the same content made on two devices is no question`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .listed(.row(1, a: 1, b: 0)))
        #expect(subject.phase == .synced)
    }

    @Test func `R17 what may have arrived goes out again under its own name`() throws {
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
    func `equal-sums-from-two-devices (R18): a server that repeats its answers is believed, not the look of a row`()
        throws
    {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .lost, .send("r1"), .answered(.conflicted(.row(2, a: 2, b: 3))))
        #expect(!subject.events.contains(.accepted))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2, b: 3)))
        #expect(subject.events.suffix(2) == [.conflicted, .converged])
    }

    @Test func `R18b a row that is seen while a request is unconfirmed waits for the answer to it`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost, .listed(.row(2, a: 2, b: 3)))
        #expect(subject.phase == .edited(.unconfirmed))
        #expect(subject.machine.seen == .row(2, a: 2, b: 3))
        try subject.take(.send("r2"))
        try subject.take(.answered(.accepted(.row(2, a: 2, b: 3))))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2, b: 3)))
    }

    @Test func `R18 where the server can't repeat its answers an own write that looks like a conflict is recognised`()
        throws
    {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .sendUnrepeated("r1"), .lost, .sendUnrepeated("r1"),
            .answered(.conflicted(.row(2, a: 2))))
        #expect(subject.events.last == .accepted)
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2)))
    }

    @Test func `R18b where the server can't repeat its answers an own write that the feed shows is recognised`() throws
    {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .sendUnrepeated("r1"), .lost, .listed(.row(2, a: 2, b: 3)))
        #expect(subject.phase == .synced)
        #expect(try subject.view == TinyContent(a: 2, b: 3))
    }

    @Test func `R18 an own write is recognised by its row once the history was lost, and what was seen before is void`()
        throws
    {
        var subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .lost, .listed(.row(3, a: 4)), .historyLost)
        #expect(subject.machine.seen == nil)
        try subject.take(.listed(.row(2, a: 2)))
        #expect(subject.events.last == .accepted)
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2)))
    }

    @Test func `R18 a first answer that is conflicted is a conflict, whatever the row says`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .answered(.conflicted(.row(2, a: 3))))
        #expect(subject.phase == .edited(.deciding))
        #expect(subject.machine.rounds == 1)
    }

    @Test func `SPEC 5 a create that meets a tombstone is sent again with its version, and asks no one`() throws {
        var subject = try Subject(.absent, after: .create(a: 1), .send("r1"), .answered(.conflicted(.tombstone(4))))
        #expect(subject.phase == .created(.idle))
        try subject.take(.send("r2"))
        #expect(subject.machine.upload?.stamp == "4")
    }

    @Test func `a held create stays held when a tombstone comes`() throws {
        let subject = try Subject(
            .absent, after: .create(a: 7), .send("r1"), .answered(.refused), .listed(.tombstone(4)))
        #expect(subject.phase == .created(.held))
        #expect(subject.machine.confirmed == .tombstone(4))
    }

    @Test(arguments: [FailureBlame.unknown, .server, .sender, .answerSize])
    func `R17 a whole request refused for whoever sent it says nothing of an edit in doubt`(blame: FailureBlame) throws
    {
        let answer = Machine.Input.answered(Machine.Answer(refusedWhole: blame))
        let sent = try Subject(.synced, after: .edit(a: 2), .send("r1"), answer)
        #expect(sent.events.last == .refused)
        let resent = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost, .send("r1"), answer)
        #expect(resent.events.last == (blame == .sender ? .refusedInDoubt : .refused))
    }
}
