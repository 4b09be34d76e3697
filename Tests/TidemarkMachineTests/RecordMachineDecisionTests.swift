import Testing
import TidemarkMachine
import TidemarkProof

@Suite struct RecordMachineDecisionTests {
    @Test func `R19 giving up an edit goes back to the data, and journals what is lost`() throws {
        let subject = try Subject(.synced, after: .edit(a: 2), .resign)
        #expect(subject.machine == Subject.synced.machine)
        #expect(subject.actions == [.journal, .save, .notify])
    }

    @Test func `R19 giving up a delete brings the record back`() throws {
        let subject = try Subject(.synced, after: .delete, .resign)
        #expect(subject.machine == Subject.synced.machine)
        #expect(subject.actions.contains(.journal))
    }

    @Test func `R20 giving up a create that was never sent leaves nothing but a line in the journal`() throws {
        let subject = try Subject(.absent, after: .create(a: 1), .resign)
        #expect(subject.machine == Machine())
        #expect(subject.actions == [.journal, .erase, .notify])
    }

    @Test func `R21 giving up a create that may have been sent deletes it there`() throws {
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

    @Test func `R22 a decision about other facts is refused and asked again`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .listed(.row(2, a: 3)))
        let asked = try #require(try subject.machine.conflict(subject.algebra))
        try subject.take(.listed(.row(3, a: 4)))
        let before = subject.machine
        try subject.take(.verdict(.client, about: asked))
        #expect(subject.events.last == .stale)
        #expect(subject.actions == .consult)
        #expect(subject.machine == before)
    }

    @Test func `R22 a decision is stale when the record was edited meanwhile`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .listed(.row(2, a: 3)))
        let asked = try #require(try subject.machine.conflict(subject.algebra))
        try subject.take(.edit(a: 5))
        try subject.take(.verdict(.server, about: asked))
        #expect(subject.events.last == .stale)
        #expect(try subject.view == TinyContent(a: 5, b: 1))
    }

    @Test func `a question is kept while a person thinks`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .listed(.row(2, a: 3)))
        try subject.decide(.ask)
        #expect(subject.phase == .edited(.deciding))
        #expect(subject.actions == [.save, .report])
    }

    @Test func `the server's side wins, and what was changed here is journalled`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .listed(.row(2, a: 3)))
        try subject.decide(.server)
        #expect(subject.machine == Machine(phase: .synced, confirmed: .row(2, a: 3)))
        #expect(subject.actions.contains(.journal))
    }

    @Test func `the client's side wins over a deletion by making the record again`() throws {
        var subject = try Subject(.synced, after: .edit(a: 2), .listed(.tombstone(2)))
        try subject.decide(.client)
        #expect(subject.phase == .created(.idle))
        #expect(subject.machine.confirmed == .tombstone(2))
    }

    @Test func `a merge can bring back what was deleted here`() throws {
        var subject = try Subject(.synced, after: .delete, .listed(.row(2, a: 3)))
        try subject.decide(.content(TinyContent(a: 3, b: 9)))
        #expect(subject.phase == .edited(.idle))
        #expect(try subject.view == TinyContent(a: 3, b: 9))
    }
}

@Suite struct ImpossibleTests {
    @Test func `R24 an edit of a record that is not there stops the program`() async {
        await #expect(processExitsWith: .failure) {
            var machine = RecordMachine<TinyAlgebra>()
            _ = try machine.receive(.edit(TinyContent(a: 1)), TinyAlgebra())
        }
    }

    @Test func `R24 an answer to nothing stops the program`() async {
        await #expect(processExitsWith: .failure) {
            var machine = RecordMachine<TinyAlgebra>(phase: .synced, confirmed: .nothing)
            _ = try machine.receive(.answered(.refused), TinyAlgebra())
        }
    }

    @Test func `R24 a release of what is not held stops the program`() async {
        await #expect(processExitsWith: .failure) {
            var machine = RecordMachine<TinyAlgebra>()
            _ = try machine.receive(.create(TinyContent(a: 1)), TinyAlgebra())
            _ = try machine.receive(.release, TinyAlgebra())
        }
    }

    @Test(arguments: RecordPhase.allCases)
    func `R24 what the feed brings is never impossible to a record that has it`(phase: RecordPhase) {
        #expect(phase.transition(on: .repeated) == .stay)
        #expect(
            phase.transition(on: .gone) != .impossible || phase.activity == .uploading || phase.activity == .unconfirmed
        )
    }
}
