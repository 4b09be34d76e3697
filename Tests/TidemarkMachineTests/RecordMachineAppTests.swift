import Testing
import TidemarkMachine
import TidemarkProof

@Suite struct RecordMachineAppTests {
    @Test func `R1 an edit of a SYNCD record makes it EDITED, saved and told`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.actions == [.save, .notify])
        #expect(try subject.view == TinyContent(a: 2, b: 1))
    }

    @Test func `R2 edits that come to nothing leave nothing to send`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .edit(a: 1))
        #expect(subject.phase == .synced)
        #expect(subject.machine == Subject.synced.machine)
    }

    @Test func `R2 an edit that changes nothing is no edit`() throws {
        let subject = try Subject(.synced, after: .edit(a: 1))
        #expect(subject.phase == .synced)
        #expect(subject.actions == [])
    }

    @Test(arguments: [false, true])
    func `R3 an edit never touches an upload that is out, or in doubt`(isLost: Bool) throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .send("r1"))
        if isLost { try subject.take(.lost) }
        let upload = subject.machine.upload
        try subject.take(.edit(a: 3))
        #expect(subject.machine.upload == upload)
        #expect(subject.machine.edits == TinyChange(a: 3, b: nil, isWhole: false))
        #expect(subject.phase == .edited(isLost ? .unconfirmed : .uploading))
    }

    @Test func `R4 an acknowledgement clears only the upload`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .edit(a: 2, b: 5), .answered(.accepted(.row(2, a: 2))))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.edits == TinyChange(a: nil, b: 5, isWhole: false))
        #expect(subject.machine.confirmed == .row(2, a: 2))
    }

    @Test func `R4 an acknowledgement of everything ends in SYNCD`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .answered(.accepted(.row(2, a: 2))))
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 2)))
    }

    @Test func `R5 A to B, sent, back to A, accepted: A is still to be sent`() throws {
        let subject = try Subject(
            .synced, after: .edit(a: 2), .send("r1"), .edit(a: 1), .answered(.accepted(.row(2, a: 2))))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.edits == TinyChange(a: 1, b: nil, isWhole: false))
    }

    @Test func `held-upload-then-edit (R17): the old bytes are settled under their name, and the edit follows`() throws
    {
        var subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost, .hold)
        let upload = subject.machine.upload
        try subject.take(.edit(a: 2, b: 5))
        #expect(subject.phase == .edited(.unconfirmed))
        #expect(subject.machine.upload == upload)
        #expect(subject.machine.edits == TinyChange(a: nil, b: 5, isWhole: false))
        try subject.take(.send("r2"))
        #expect(subject.machine.upload?.requestID == "r1")
        try subject.take(.answered(.accepted(.row(2, a: 2))))
        #expect(subject.phase == .edited(.idle))
        #expect(try subject.view == TinyContent(a: 2, b: 5))
    }

    @Test func `held-upload-then-edit (R17): a create that was edited while held is settled first, too`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .send("r1"), .lost, .hold, .edit(a: 2, b: 0))
        #expect(subject.phase == .created(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
        #expect(try subject.view == TinyContent(a: 2))
    }

    @Test func `held-upload-then-delete (R17): the fate of an edit is settled before its delete goes out`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost, .hold, .delete)
        #expect(subject.phase == .deleted(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
    }

    @Test func `held-upload-then-create (R17, R23): a delete of unknown fate is settled before the create over it`()
        throws
    {
        var subject = try Subject(.synced, after: .delete, .send("r1"), .lost, .hold, .create(a: 5))
        #expect(subject.phase == .edited(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
        try subject.take(.send("r2"))
        try subject.take(.answered(.accepted(.tombstone(2))))
        #expect(subject.phase == .created(.idle))
    }

    @Test func `held-upload-then-create (R17, I11): so is a create that was deleted and is made again`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .send("r1"), .lost, .delete, .hold, .create(a: 5))
        #expect(subject.phase == .created(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
        #expect(try subject.view == TinyContent(a: 5))
    }

    @Test func `R5 back to A while the fate of B is unknown settles B first`() throws {
        let held = try Subject(.synced, after: .edit(a: 2), .send("r1"), .lost, .hold, .edit(a: 1))
        #expect(held.phase == .edited(.unconfirmed))
        #expect(held.machine.upload?.requestID == "r1")
        #expect(try held.view == TinyContent(a: 1, b: 1))
    }

    @Test func `R6 a create that was never sent and is deleted leaves nothing`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .delete)
        #expect(subject.machine == Machine())
        #expect(subject.actions == [.erase, .notify])
    }

    @Test(arguments: [false, true])
    func `R7 a create that may have been sent is settled before its delete goes out`(isLost: Bool) throws {
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
        #expect(subject.machine.upload?.stamp == "1")
    }

    @Test func `R7 a held create of unknown fate that is deleted is settled with its own bytes`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .send("r1"), .lost, .hold, .delete)
        #expect(subject.phase == .deleted(.unconfirmed))
        #expect(subject.machine.upload?.requestID == "r1")
    }

    @Test func `R23 a create over a pending delete is one edit at the root`() throws {
        let subject = try Subject(.synced, after: .delete, .create(a: 5))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.edits == TinyChange(a: 5, b: 0, isWhole: true))
    }

    @Test func `R23 a create while the delete is out becomes a create once the delete is taken`() throws {
        let subject = try Subject(
            .synced, after: .delete, .send("r1"), .create(a: 5), .answered(.accepted(.tombstone(2))))
        #expect(subject.phase == .created(.idle))
        #expect(subject.machine.confirmed == .tombstone(2))
    }

    @Test func `a refused record is held, and an edit makes it try again`() throws {
        var subject = try Subject(.synced, after: .edit(a: 7), .send("r1"), .answered(.refused))
        #expect(subject.phase == .edited(.held))
        #expect(subject.actions.contains(.report))
        try subject.take(.edit(a: 2))
        #expect(subject.phase == .edited(.idle))
    }

    @Test func `a held record that is released tries again`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .hold, .release)
        #expect(subject.phase == .edited(.idle))
    }

    @Test func `SPEC 3.3 a record that comes back too often is held`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2))
        for round in 1...5 {
            try subject.take(.send("r\(round)"))
            try subject.take(.answered(.conflicted(.row(round + 1, a: UInt8(round + 10)))))
            try subject.decide(.client)
        }
        #expect(subject.phase == .edited(.idle))
        try subject.take(.send("r6"))
        #expect(subject.phase == .edited(.held))
    }
}

@Suite struct RoundsTests {
    @Test func `disjoint-writers-contend (SPEC 3.3): what does not clash makes no round`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2))
        for round in 1...7 {
            try subject.take(.send("r\(round)"))
            try subject.take(.answered(.conflicted(.row(round + 1, a: 1, b: UInt8(round + 10)))))
        }
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.rounds == 0)
    }

    @Test func `a silent rebase does not forget the rounds that clashed`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .answered(.conflicted(.row(2, a: 3))))
        try subject.decide(.client)
        try subject.take(.send("r2"))
        try subject.take(.answered(.conflicted(.row(3, a: 3, b: 9))))
        #expect(subject.phase == .edited(.idle))
        #expect(subject.machine.rounds == 1)
    }

    @Test func `SPEC 3.3 an edit that comes back over a deletion has made a round`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .send("r1"), .answered(.conflicted(.tombstone(2))))
        #expect(subject.phase == .edited(.deciding))
        #expect(subject.machine.rounds == 1)
    }

    @Test func `SPEC 3.3 a clash that the feed shows is no round: nothing was sent`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .listed(.row(2, a: 3)))
        #expect(subject.machine.rounds == 0)
    }
}
