import Testing
import TidemarkMachine
import TidemarkRules

@Suite struct RecordMachineDecisionTests {
    @Test func `resigning an edit restores the data and journals the edit (R19)`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .resign)
        #expect(subject.machine == Subject.synced.machine)
        #expect(subject.actions == [.journal, .save, .notify])
    }

    @Test func `resigning a delete restores the record (R19)`() throws {
        let subject = try Subject(.synced, after: .delete, .resign)
        #expect(subject.machine == Subject.synced.machine)
        #expect(subject.actions.contains(.journal))
    }

    @Test func `resigning a create that was never sent leaves only a journal entry (R20)`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .resign)
        #expect(subject.machine == Machine())
        #expect(subject.actions == [.journal, .erase, .notify])
    }

    @Test func `resigning a create that may have been sent deletes it on the server (R21)`() throws {
        var subject = try Subject(.absent, after: .create(a: 1), .send("r1"), .lost, .resign)
        #expect(subject.phase == .deleted(.unconfirmed))
        #expect(subject.actions.contains(.journal))
        try subject.take(.send("r1"))
        try subject.take(.answered(.accepted(.row(1, a: 1, b: 0))))
        try subject.take(.send("r2"))
        #expect(subject.machine.upload?.intent == .delete)
        try subject.take(.answered(.accepted(.tombstone(2))))
        #expect(subject.machine == Machine())
    }

    @Test func `a decision about an older row is stale and is requested again (R22)`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .feedRow(.row(2, a: 3)))
        let asked = try #require(try subject.machine.conflict(subject.algebra))
        try subject.take(.feedRow(.row(3, a: 4)))
        let before = subject.machine
        try subject.take(.verdict(.client, about: asked))
        #expect(subject.events.last == .stale)
        #expect(subject.actions == .runTactic)
        #expect(subject.machine == before)
    }

    @Test func `a decision about a record that was edited later is stale (R22)`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .feedRow(.row(2, a: 3)))
        let asked = try #require(try subject.machine.conflict(subject.algebra))
        try subject.take(.edit(a: 5))
        try subject.take(.verdict(.server, about: asked))
        #expect(subject.events.last == .stale)
        #expect(try subject.view == RecordPayload(a: 5, b: 1))
    }

    @Test func `an open conflict is kept until the user decides`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .feedRow(.row(2, a: 3)))
        try subject.decide(.ask)
        #expect(subject.phase == .edited(.deciding))
        #expect(subject.actions == [.save, .report])
    }

    @Test func `the decision "server" keeps the server's row and journals the local change`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .feedRow(.row(2, a: 3)))
        try subject.decide(.server)
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 3)))
        #expect(subject.actions.contains(.journal))
    }

    @Test func `the decision "client" about a deletion creates the record again`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .feedRow(.tombstone(2)))
        try subject.decide(.client)
        #expect(subject.phase == .created(.idle))
        #expect(subject.machine.confirmed == .tombstone(2))
    }

    @Test func `a merge can restore a record that was deleted here`() throws {
        var subject = try Subject(.synced, after: .delete, .feedRow(.row(2, a: 3)))
        try subject.decide(.content(RecordPayload(a: 3, b: 9)))
        #expect(subject.phase == .edited(.idle))
        #expect(try subject.view == RecordPayload(a: 3, b: 9))
    }
}

@Suite struct ImpossibleTests {
    @Test func `an edit of a record that does not exist stops the program (R24)`() async {
        await #expect(processExitsWith: .failure) {
            var machine = Machine()
            _ = try machine.receive(.edit(RecordPayload(a: 1)), JSONChanges())
        }
    }

    @Test func `an answer without an upload stops the program (R24)`() async {
        await #expect(processExitsWith: .failure) {
            var machine = Machine(phase: .synced, confirmed: .nothing)
            _ = try machine.receive(.answered(.refused), JSONChanges())
        }
    }

    @Test func `a retry of a record that is not held traps (R24)`() async {
        await #expect(processExitsWith: .failure) {
            var machine = Machine()
            _ = try machine.receive(.create(RecordPayload(a: 1)), JSONChanges())
            _ = try machine.receive(.retry, JSONChanges())
        }
    }

    @Test(arguments: RecordPhase.allCases)
    func `a row of the feed is never impossible for a record (R24)`(phase: RecordPhase) {
        #expect(phase.transition(on: .repeated) == .stay)
        #expect(
            phase.transition(on: .gone) != .impossible || phase.activity == .uploading || phase.activity == .unconfirmed
        )
    }
}
