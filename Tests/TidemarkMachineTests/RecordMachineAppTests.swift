import Testing
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

@Suite struct RecordMachineAppTests {
    @Test func `an edit of a SYNCD record makes it EDITED, saves it and notifies the app (R1)`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.actions == [.save, .notify])
        #expect(try subject.view == RecordPayload(a: 2, b: 1))
    }

    @Test func `edits that cancel each other leave nothing to send (R2)`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .edit(a: 1))
        #expect(subject.phase == .synced)
        #expect(subject.machine == Subject.synced.machine)
    }

    @Test func `an edit that changes nothing has no effect (R2)`() throws {
        let subject = try Subject(.synced, after: .edit(a: 1))
        #expect(subject.phase == .synced)
        #expect(subject.actions == [])
    }

    @Test(arguments: [false, true])
    func `an edit never changes an upload that is in progress or unconfirmed (R3)`(isLost: Bool) throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .send("r1"))
        if isLost { try subject.take(.lost) }
        let upload = subject.machine.upload
        try subject.take(.edit(a: 3))
        #expect(subject.machine.upload == upload)
        #expect(subject.machine.edits == .replacing(a: 3))
        #expect(subject.phase == .edited(isLost ? .unconfirmed : .uploading))
    }

    @Test func `an acknowledgement clears only the upload (R4)`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .edit(a: 2, b: 5), .answered(.accepted(.row(2, a: 2))))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.edits == .replacing(b: 5))
        #expect(subject.machine.confirmed == .row(2, a: 2))
    }

    @Test func `an acknowledgement of all edits ends in SYNCD (R4)`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .answered(.accepted(.row(2, a: 2))))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2)))
    }

    @Test func `an edit back to A after B was sent and accepted still sends A (R5)`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .edit(a: 1), .answered(.accepted(.row(2, a: 2))))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.edits == .replacing(a: 1))
    }

    @Test func `held-upload-then-edit (R17): the old bytes are re-sent first, then the edit`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost, .hold)
        let upload = subject.machine.upload
        try subject.take(.edit(a: 2, b: 5))
        #expect(subject.phase == .edited(.unconfirmed))
        #expect(subject.machine.upload == upload)
        #expect(subject.machine.edits == .replacing(b: 5))
        try subject.take(.send("r2"))
        #expect(subject.machine.upload?.requestID == "r1")
        try subject.take(.answered(.accepted(.row(2, a: 2))))
        #expect(subject.phase == .edited(.idle))
        #expect(try subject.view == RecordPayload(a: 2, b: 5))
    }

    @Test func `held-upload-then-edit (R17): a create edited while held is re-sent first`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .send("r1"), .lost, .hold, .edit(a: 2, b: 0))
        #expect(subject.phase == .created(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
        #expect(try subject.view == RecordPayload(a: 2))
    }

    @Test func `held-upload-then-delete (R17): the edit is confirmed before its delete goes out`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost, .hold, .delete)
        #expect(subject.phase == .deleted(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
    }

    @Test func `held-upload-then-create (R17, R23): an unconfirmed delete is confirmed first`()
        throws
    {
        var subject = try Subject(.synced, after: .delete, .send("r1"), .lost, .hold, .create(a: 5))
        #expect(subject.phase == .edited(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
        try subject.take(.send("r2"))
        try subject.take(.answered(.accepted(.tombstone(2))))
        #expect(subject.phase == .created(.idle))
    }

    @Test func `held-upload-then-create (R17, I11): an unconfirmed create is confirmed first`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .send("r1"), .lost, .delete, .hold, .create(a: 5))
        #expect(subject.phase == .created(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
        #expect(try subject.view == RecordPayload(a: 5))
    }

    @Test func `an edit back to A while B is unconfirmed confirms B first (R5)`() throws {
        let held = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost, .hold, .edit(a: 1))
        #expect(held.phase == .edited(.unconfirmed))
        #expect(held.machine.upload?.requestID == "r1")
        #expect(try held.view == RecordPayload(a: 1, b: 1))
    }

    @Test func `a create that was never sent and is deleted leaves no record (R6)`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .delete)
        #expect(subject.machine == Machine())
        #expect(subject.actions == [.erase, .notify])
    }

    @Test(arguments: [false, true])
    func `a create that may have been sent is confirmed before its delete goes out (R7)`(isLost: Bool) throws {
        var subject = try Subject(.absent, after: .create(a: 1), .send("r1"))
        if isLost { try subject.take(.lost) }
        try subject.take(.delete)
        #expect(subject.phase == .deleted(isLost ? .unconfirmed : .uploading))
        #expect(subject.machine.upload?.intent == .create)
        if isLost { try subject.take(.send("r2")) }
        try subject.take(.answered(.accepted(.row(1, a: 1, b: 0))))
        #expect(subject.phase == .deleted(.idle))
        try subject.take(.send("r3"))
        #expect(subject.machine.upload?.intent == .delete)
        #expect(subject.machine.upload?.version == "1")
    }

    @Test func `a held unconfirmed create that is deleted is re-sent with its own bytes (R7)`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .send("r1"), .lost, .hold, .delete)
        #expect(subject.phase == .deleted(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
    }

    @Test func `a create over a pending delete is one edit at the root (R23)`() throws {
        let subject = try Subject(.synced, after: .delete, .create(a: 5))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.edits == JSONPatch([.replace(.root, ["a": 5])]))
    }

    @Test func `a create during the delete's upload is a create after its acceptance (R23)`() throws {
        let subject = try Subject(
            .synced, after: .delete, .send("r1"), .create(a: 5), .answered(.accepted(.tombstone(2))))
        #expect(subject.phase == .created(.idle))
        #expect(subject.machine.confirmed == .tombstone(2))
    }

    @Test func `a refused record is held, and an edit retries it`() throws {
        var subject = try Subject(.synced, after: .edit(a: 7), .send("r1"), .answered(.refused))
        #expect(subject.phase == .edited(.held))
        #expect(subject.actions.contains(.report))
        try subject.take(.edit(a: 2))
        #expect(subject.phase == .edited(.idle))
    }

    @Test func `a held record that is retried is idle again`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .hold, .retry)
        #expect(subject.phase == .edited(.idle))
    }

    @Test func `a record that conflicts too often is held (Contract §3.3)`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2))
        for round in 1...5 {
            try subject.take(.send("r\(round)"))
            try subject.take(.answered(.conflicted(.row(round + 1, a: round + 10))))
            try subject.decide(.client)
        }
        #expect(subject.phase == .edited(.idle))
        try subject.take(.send("r6"))
        #expect(subject.phase == .edited(.held))
    }
}

@Suite struct RoundsTests {
    @Test func `disjoint-writers-contend (Contract §3.3): a rebase without a clash counts no round`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2))
        for round in 1...7 {
            try subject.take(.send("r\(round)"))
            try subject.take(.answered(.conflicted(.row(round + 1, a: 1, b: round + 10))))
        }
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.rounds == 0)
    }

    @Test func `a silent rebase does not reset the number of rounds`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .answered(.conflicted(.row(2, a: 3))))
        try subject.decide(.client)
        try subject.take(.send("r2"))
        try subject.take(.answered(.conflicted(.row(3, a: 3, b: 9))))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.rounds == 1)
    }

    @Test func `an edit that conflicts with a deletion counts one round (Contract §3.3)`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .answered(.conflicted(.tombstone(2))))
        #expect(subject.phase == .edited(.deciding))
        #expect(subject.machine.rounds == 1)
    }

    @Test func `a clash with a row of the feed counts no round (Contract §3.3)`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .feedRow(.row(2, a: 3)))
        #expect(subject.machine.rounds == 0)
    }
}
