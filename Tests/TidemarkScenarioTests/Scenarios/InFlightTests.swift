import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Edits while a request or a write is in progress.
@Suite struct InFlightTests {
    static let powerCut = TidemarkError(.storeUnavailable, "The power is cut.")

    private static func start() throws -> SyncScenario {
        let scenario = try SyncScenario()
        try scenario.phone.create(["title": "Milk", "count": 1], pk: "42")
        try scenario.settle()
        return scenario
    }

    @Test(arguments: 0..<6)
    func `crash-between-edit-and-mark: an edit and its mark are stored both or neither`(write: Int) throws {
        let scenario = try Self.start()
        scenario.phone.store.failNextWrite(after: write, with: Self.powerCut)
        let isDone = (try? scenario.phone.edit("42") { $0.title = "Oat milk" }) != nil
        try scenario.phone.restart()
        let isThere = try scenario.phone.view("42")?.title == "Oat milk"
        #expect(isThere == isDone, "an edit that returned is durable, and one that threw was not made")
        #expect(try scenario.phone.phase("42") == (isThere ? .edited(.idle) : .synced))
        try scenario.settle()
        #expect(try scenario.onServer("42")?.title == (isThere ? "Oat milk" : "Milk"))
    }

    @Test(arguments: 0..<12)
    func `ack-write-fails: a failure at any write of the answer loses no edit`(write: Int) throws {
        let scenario = try Self.start()
        let phone = scenario.phone
        try phone.edit("42") { $0.title = "Oat milk" }
        try phone.create(["n": 1], pk: "new")
        try phone.sync(SyncScenario.collection)
        try phone.edit("42") { $0.count = 2 }
        let sent = phone.outbox.removeFirst()
        let answer = try scenario.remote.exchangeNow(sent.request)
        phone.store.failNextWrite(after: write, with: Self.powerCut)
        let isTaken = (try? phone.receive(answer, for: sent.token)) != nil
        // After the last write of the answer the edit fails instead, and is made again.
        if (try? phone.edit("42") { $0.more = 3 }) == nil { try phone.edit("42") { $0.more = 3 } }
        try phone.restart()
        if !isTaken {
            try phone.sync(SyncScenario.collection)
            #expect(
                phone.outbox.first?.request.encodedEdit == sent.request.encodedEdit, "it is replayed, not sent as new")
        }
        try scenario.settle()
        #expect(try scenario.onServer("42") == ["title": "Oat milk", "count": 2, "more": 3])
        #expect(try scenario.onServer("new") == ["n": 1])
        try scenario.expectAgreement("42")
        try scenario.expectAgreement("new")
        #expect(try phone.journal().isEmpty)
    }

    /// Additions, so that an edit that is sent twice shows. One record has used all its rounds, and is held by the choice.
    private static func pendingAdditions(batchSize: Int) throws -> SyncScenario {
        var configuration = SyncConfiguration()
        configuration[SyncScenario.collection].fields = try FieldRules([("/n", .sum)])
        configuration.limits.batchSize = batchSize
        let scenario = try SyncScenario(configuration: configuration)
        let phone = scenario.phone
        for pk in ["a", "b", "gone", "held"] { try phone.create(["n": 1], pk: pk) }
        try scenario.settle()
        for pk in ["a", "b", "held"] { try phone.edit(pk) { $0.n = 3 } }
        try phone.delete("gone")
        try phone.create(["n": 1], pk: "new")
        try phone.store.transaction { () throws(TidemarkError) in
            guard var record = try phone.store.record("held", in: SyncScenario.collection) else { return }
            record.rounds = configuration.limits.rounds
            try phone.store.save(record, in: SyncScenario.collection)
        }
        return scenario
    }

    private static func expectAdditions(_ scenario: SyncScenario) throws {
        try scenario.settle()
        for (pk, n) in [("a", 3), ("b", 3), ("held", 1), ("new", 1)] {
            #expect(try scenario.onServer(pk) == ["n": JSON(n)], "\(pk)")
            if pk != "held" { try scenario.expectAgreement(pk) }
        }
        #expect(try scenario.onServer("gone") == nil)
        #expect(try scenario.phone.phase("held") == .edited(.held))
        #expect(try scenario.phone.journal().isEmpty)
    }

    @Test(arguments: 0..<10, [false, true])
    func `choice-write-fails: a failure at any write of the first choice sends nothing (R17)`(
        write: Int, isKilled: Bool
    ) throws {
        let scenario = try Self.pendingAdditions(batchSize: 100)
        let phone = scenario.phone
        let before = phone.store.snapshot
        phone.store.failNextWrite(after: write, with: Self.powerCut)
        let isChosen = (try? phone.sync(SyncScenario.collection)) != nil
        #expect(phone.outbox.map(\.request.uploads.count) == (isChosen ? [4] : []))
        if !isChosen { #expect(phone.store.snapshot == before) }
        if isKilled { try phone.restart() }
        // A write that did not happen in the choice does not fail later.
        phone.store.failNextWrite(after: .max / 2, with: Self.powerCut)
        try scenario.carry(phone)
        try Self.expectAdditions(scenario)
    }

    /// The answer to one POST and the choice of the next one are one transaction.
    @Test(arguments: 0..<16, [false, true])
    func `choice-write-fails: a failure at any write of a later choice sends no edit as new twice (R17)`(
        write: Int, isKilled: Bool
    ) throws {
        let scenario = try Self.pendingAdditions(batchSize: 1)
        let phone = scenario.phone
        try phone.sync(SyncScenario.collection)
        let sent = phone.outbox.removeFirst()
        let answer = try scenario.remote.exchangeNow(sent.request)
        phone.store.failNextWrite(after: write, with: Self.powerCut)
        let isTaken = (try? phone.receive(answer, for: sent.token)) != nil
        phone.store.failNextWrite(after: .max / 2, with: Self.powerCut)
        if isKilled { try phone.restart() }
        if !isTaken {
            try phone.sync(SyncScenario.collection)
            #expect(phone.outbox.map(\.request.encodedEdit) == [sent.request.encodedEdit])
        }
        try scenario.carry(phone)
        try Self.expectAdditions(scenario)
    }

    enum PostOutcome: CaseIterable {
        case delivered
        case requestLost
        case answerLost
        case killed
        case refused
    }

    private static func apply(_ outcome: PostOutcome, _ scenario: SyncScenario) throws {
        switch outcome {
        case .delivered: try scenario.carryOne(scenario.phone)
        case .requestLost: try scenario.phone.failNext(RemoteFailure(.offline, "lost"))
        case .answerLost: try scenario.loseAnswer(scenario.phone)
        case .killed: for ghost in try scenario.phone.restart() { _ = try scenario.remote.exchangeNow(ghost.request) }
        case .refused: try scenario.phone.failNext(RemoteFailure(.refused, "forbidden"))
        }
    }

    @Test(arguments: PostOutcome.allCases, [false, true])
    func `edit-while-posting: the edit stays, whether or not the POST succeeds`(
        outcome: PostOutcome, isTabletBusy: Bool
    ) throws {
        let scenario = try Self.start()
        try scenario.phone.edit("42") { $0.title = "Oat milk" }
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.phone.edit("42") { $0.count = 7 }
        if isTabletBusy {
            try scenario.tablet.edit("42") { $0.other = true }
            try scenario.sync(scenario.tablet)
        }
        try Self.apply(outcome, scenario)
        try scenario.phone.edit("42") { $0.last = 9 }
        try scenario.carry(scenario.phone)
        try scenario.settle()
        var expected: JSON = ["title": "Oat milk", "count": 7, "last": 9]
        if isTabletBusy { expected.other = true }
        #expect(try scenario.onServer("42") == expected)
        try scenario.expectAgreement("42")
    }

    @Test(arguments: PostOutcome.allCases, [false, true])
    func `a-b-a ends in A, whether or not B is accepted`(outcome: PostOutcome, isTabletBusy: Bool) throws {
        let scenario = try Self.start()
        try scenario.phone.edit("42") { $0.title = "B" }
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.phone.edit("42") { $0.title = "Milk" }
        if isTabletBusy {
            try scenario.tablet.edit("42") { $0.other = true }
            try scenario.sync(scenario.tablet)
        }
        try Self.apply(outcome, scenario)
        try scenario.carry(scenario.phone)
        try scenario.settle()
        #expect(try scenario.onServer("42")?.title == "Milk")
        try scenario.expectAgreement("42")
    }

    @Test(arguments: PostOutcome.allCases, [false, true])
    func `delete-while-creating leaves no orphan, whether or not the create arrives (I11)`(
        outcome: PostOutcome, isRestarted: Bool
    ) throws {
        let scenario = try Self.start()
        try scenario.phone.create(["n": 1], pk: "new")
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.phone.delete("new")
        try Self.apply(outcome, scenario)
        if isRestarted { try scenario.phone.restart() }
        try scenario.carry(scenario.phone)
        try scenario.settle()
        #expect(try scenario.onServer("new") == nil)
        try scenario.expectAgreement("new")
    }
}
