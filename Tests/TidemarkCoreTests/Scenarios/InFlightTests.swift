import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Edits while something is under way.
@Suite struct InFlightTests {
    static let powerCut = TidemarkError(.storeUnavailable, "The power is cut.")

    private static func start() throws -> Meeting {
        let meeting = try Meeting()
        try meeting.phone.create(["title": "Milk", "count": 1], pk: "42")
        try meeting.settle()
        return meeting
    }

    @Test(arguments: 0..<6)
    func `crash-between-edit-and-mark: an edit that is there is marked, and one that is not marked is not there`(
        write: Int
    ) throws {
        let meeting = try Self.start()
        meeting.phone.store.failNextWrite(after: write, with: Self.powerCut)
        let isDone = (try? meeting.phone.edit("42") { $0.title = "Oat milk" }) != nil
        try meeting.phone.restart()
        let isThere = try meeting.phone.view("42")?.title == "Oat milk"
        #expect(isThere == isDone, "an edit that returned is durable, and one that threw was not made")
        #expect(try meeting.phone.phase("42") == (isThere ? .edited(.idle) : .synced))
        try meeting.settle()
        #expect(try meeting.onServer("42")?.title == (isThere ? "Oat milk" : "Milk"))
    }

    @Test(arguments: 0..<12)
    func `ack-write-fails at any write of the answer, with an edit before and one after it`(write: Int) throws {
        let meeting = try Self.start()
        let phone = meeting.phone
        try phone.edit("42") { $0.title = "Oat milk" }
        try phone.create(["n": 1], pk: "new")
        try phone.sync(Meeting.collection)
        try phone.edit("42") { $0.count = 2 }
        let sent = phone.outbox.removeFirst()
        let answer = try meeting.remote.exchangeNow(sent.request)
        phone.store.failNextWrite(after: write, with: Self.powerCut)
        let isTaken = (try? phone.receive(answer, for: sent.token)) != nil
        // Past the last write of the answer, the edit is what fails, and is made again.
        if (try? phone.edit("42") { $0.more = 3 }) == nil { try phone.edit("42") { $0.more = 3 } }
        try phone.restart()
        if !isTaken {
            try phone.sync(Meeting.collection)
            #expect(phone.outbox.first?.request.frozen == sent.request.frozen, "it is replayed, not sent as new")
        }
        try meeting.settle()
        #expect(try meeting.onServer("42") == ["title": "Oat milk", "count": 2, "more": 3])
        #expect(try meeting.onServer("new") == ["n": 1])
        try meeting.expectAgreement("42")
        try meeting.expectAgreement("new")
        #expect(try phone.journal().isEmpty)
    }

    enum Fate: CaseIterable {
        case delivered
        case requestLost
        case answerLost
        case killed
        case refused
    }

    private static func undergo(_ fate: Fate, _ meeting: Meeting) throws {
        switch fate {
        case .delivered: try meeting.carryOne(meeting.phone)
        case .requestLost: try meeting.phone.failNext(RemoteFailure(.offline, "lost"))
        case .answerLost: try meeting.loseAnswer(meeting.phone)
        case .killed: for ghost in try meeting.phone.restart() { _ = try meeting.remote.exchangeNow(ghost.request) }
        case .refused: try meeting.phone.failNext(RemoteFailure(.refused, "forbidden"))
        }
    }

    @Test(arguments: Fate.allCases, [false, true])
    func `edit-while-posting stays, whatever becomes of the POST and whoever else edits`(
        fate: Fate, isTabletBusy: Bool
    ) throws {
        let meeting = try Self.start()
        try meeting.phone.edit("42") { $0.title = "Oat milk" }
        try meeting.phone.sync(Meeting.collection)
        try meeting.phone.edit("42") { $0.count = 7 }
        if isTabletBusy {
            try meeting.tablet.edit("42") { $0.other = true }
            try meeting.sync(meeting.tablet)
        }
        try Self.undergo(fate, meeting)
        try meeting.phone.edit("42") { $0.last = 9 }
        try meeting.carry(meeting.phone)
        try meeting.settle()
        var expected: JSON = ["title": "Oat milk", "count": 7, "last": 9]
        if isTabletBusy { expected.other = true }
        #expect(try meeting.onServer("42") == expected)
        try meeting.expectAgreement("42")
    }

    @Test(arguments: Fate.allCases, [false, true])
    func `a-b-a ends in A, whatever becomes of B`(fate: Fate, isTabletBusy: Bool) throws {
        let meeting = try Self.start()
        try meeting.phone.edit("42") { $0.title = "B" }
        try meeting.phone.sync(Meeting.collection)
        try meeting.phone.edit("42") { $0.title = "Milk" }
        if isTabletBusy {
            try meeting.tablet.edit("42") { $0.other = true }
            try meeting.sync(meeting.tablet)
        }
        try Self.undergo(fate, meeting)
        try meeting.carry(meeting.phone)
        try meeting.settle()
        #expect(try meeting.onServer("42")?.title == "Milk")
        try meeting.expectAgreement("42")
    }

    @Test(arguments: Fate.allCases, [false, true])
    func `I11 delete-while-creating never leaves an orphan, whatever becomes of the create`(
        fate: Fate, isRestarted: Bool
    ) throws {
        let meeting = try Self.start()
        try meeting.phone.create(["n": 1], pk: "new")
        try meeting.phone.sync(Meeting.collection)
        try meeting.phone.delete("new")
        try Self.undergo(fate, meeting)
        if isRestarted { try meeting.phone.restart() }
        try meeting.carry(meeting.phone)
        try meeting.settle()
        #expect(try meeting.onServer("new") == nil)
        try meeting.expectAgreement("new")
    }
}
