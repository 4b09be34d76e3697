import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A transaction of the app beside a sync (R25): stored as one, sent and decided one by one.
@Suite struct TransactionScenarioTests {
    private static let lists = "lists"

    private static func start(_ configuration: SyncConfiguration = SyncConfiguration()) throws -> SyncScenario {
        let scenario = try SyncScenario(configuration: configuration)
        try scenario.phone.create(["title": "Milk", "count": 1], pk: "1")
        try scenario.phone.create(["title": "Bread", "count": 1], pk: "2")
        try scenario.settle()
        return scenario
    }

    /// Adds 1 to the counts of both notes, and creates a list.
    private static func transact(_ device: Device) throws {
        try device.run { (engine) throws(TidemarkError) in
            try engine.transact { (t) throws(TidemarkError) in
                for pk in ["1", "2"] {
                    try t[SyncScenario.collection][pk].edit { $0.count = JSON(($0.count?.int ?? 0) + 1) }
                }
                try t[Self.lists].create(["name": "Work"], pk: "work")
            }.effects
        }
    }

    private static var sums: SyncConfiguration {
        get throws {
            var configuration = SyncConfiguration()
            configuration[SyncScenario.collection].fields = try FieldRules([("/count", .sum)])
            return configuration
        }
    }

    @Test func `T4: a record that is being uploaded keeps the bytes that were sent`() throws {
        let scenario = try Self.start()
        try scenario.phone.edit("1") { $0.title = "Oat milk" }
        try scenario.phone.sync(SyncScenario.collection)
        let sent = try #require(scenario.phone.outbox.first).request.uploads.map(\.encodedEdit)
        try Self.transact(scenario.phone)
        #expect(scenario.phone.outbox.first?.request.uploads.map(\.encodedEdit) == sent)
        #expect(try scenario.phone.phase("1") == .edited(.uploading))
        #expect(try scenario.phone.phase("2") == .edited(.idle))
        try scenario.carry(scenario.phone)
        try scenario.settle()
        #expect(try scenario.onServer("1") == ["title": "Oat milk", "count": 2])
        #expect(try scenario.onServer("2")?.count == 2)
    }

    @Test func `T5: an unconfirmed record goes first and alone, and the other collection is sent`() throws {
        let scenario = try Self.start()
        try scenario.phone.edit("1") { $0.title = "Oat milk" }
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        try Self.transact(scenario.phone)
        try scenario.phone.sync(Self.lists)
        try scenario.carry(scenario.phone)
        #expect(try scenario.phone.engine.snapshot(of: "work", in: Self.lists)?.phase == .synced)
        scenario.server.clock.advance(by: .seconds(3_600))
        try scenario.phone.sync(SyncScenario.collection)
        while scenario.phone.outbox.first?.request.uploads.isEmpty == true { try scenario.carryOne(scenario.phone) }
        #expect(scenario.phone.outbox.first?.request.uploads.map(\.pk) == ["1"])
        try scenario.carry(scenario.phone)
        try scenario.settle()
        #expect(try scenario.onServer("1") == ["title": "Oat milk", "count": 2])
        try scenario.expectAgreement(on: "2")
    }

    @Test func `T8: a conflict of one record is decided for it alone`() throws {
        var configuration = SyncConfiguration()
        configuration[SyncScenario.collection].tactic = .askUser
        let scenario = try Self.start(configuration)
        try scenario.tablet.edit("2") { $0.count = 7 }
        try scenario.sync(scenario.tablet)
        try Self.transact(scenario.phone)
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("1") == .synced)
        #expect(try scenario.phone.phase("2").activity == .deciding)
        #expect(try scenario.onServer("1")?.count == 2)
        #expect(try scenario.onServer("2")?.count == 7)
    }

    @Test func `T9: a refused record is discarded alone, and an undo of the transaction takes back the rest`() throws {
        let scenario = try Self.start()
        var edits: [RecordEdit] = []
        try scenario.phone.run { (engine) throws(TidemarkError) in
            let done = try engine.transact { (t) throws(TidemarkError) in
                for pk in ["1", "2"] { try t[SyncScenario.collection][pk].edit { $0.count = 5 } }
                return t.edits
            }
            edits = done.value
            return done.effects
        }
        try scenario.phone.resign("2")
        try scenario.settle()
        #expect(try scenario.onServer("1")?.count == 5)
        #expect(try scenario.onServer("2")?.count == 1)
        #expect(try scenario.phone.journal().map(\.pk) == ["2"])
        let undoing = edits
        try scenario.phone.run { (engine) throws(TidemarkError) in
            try engine.transact { (t) throws(TidemarkError) in _ = try t.undo(undoing) }.effects
        }
        #expect(try scenario.phone.view("1")?.count == 1)
        #expect(try scenario.phone.view("2")?.count == 1)
    }

    @Test func `T10: an edit of a record with an open question asks the tactic again`() throws {
        var configuration = SyncConfiguration()
        configuration[SyncScenario.collection].tactic = .askUser
        let scenario = try Self.start(configuration)
        try scenario.tablet.edit("2") { $0.count = 7 }
        try scenario.sync(scenario.tablet)
        try scenario.phone.edit("2") { $0.count = 3 }
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.phase("2").activity == .deciding)
        try Self.transact(scenario.phone)
        #expect(try scenario.phone.phase("2").activity == .deciding)
        #expect(try scenario.phone.view("2")?.count == 4)
        #expect(try scenario.phone.phase("1") == .edited(.idle))
    }

    @Test func `T11: sums count once although the answer is lost and the process ends`() throws {
        let scenario = try Self.start(try Self.sums)
        try Self.transact(scenario.phone)
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        try scenario.phone.restart()
        try scenario.tablet.edit("1") { $0.count = 11 }
        scenario.server.clock.advance(by: .seconds(3_600))
        try scenario.settle()
        #expect(try scenario.onServer("1")?.count == 12)
        #expect(try scenario.onServer("2")?.count == 2)
        #expect(try scenario.phone.engine.snapshot(of: "work", in: Self.lists)?.phase == .created(.idle))
    }

    @Test func `T12: many records are sent in several POSTs, in the order of the calls`() throws {
        var configuration = SyncConfiguration()
        configuration.limits.batchSize = 2
        let scenario = try SyncScenario(configuration: configuration)
        let pks = ["e", "d", "c", "b", "a"]
        try scenario.phone.run { (engine) throws(TidemarkError) in
            try engine.transact { (t) throws(TidemarkError) in
                for pk in pks { try t[SyncScenario.collection].create(["n": 1], pk: pk) }
            }.effects
        }
        try scenario.phone.sync(SyncScenario.collection)
        var sent: [[String]] = []
        while let next = scenario.phone.outbox.first {
            sent.append(next.request.uploads.map(\.pk))
            try scenario.carryOne(scenario.phone)
        }
        #expect(sent.filter { !$0.isEmpty } == [["e", "d"], ["c", "b"], ["a"]])
    }

    @Test func `T13: a record that was changed before goes before the others`() throws {
        var configuration = SyncConfiguration()
        configuration.limits.batchSize = 1
        let scenario = try Self.start(configuration)
        try scenario.phone.edit("2") { $0.title = "Rye bread" }
        try Self.transact(scenario.phone)
        try scenario.phone.sync(SyncScenario.collection)
        while scenario.phone.outbox.first?.request.uploads.isEmpty == true { try scenario.carryOne(scenario.phone) }
        #expect(scenario.phone.outbox.first?.request.uploads.map(\.pk) == ["2"])
    }

    @Test func `T19: a full resync of one collection keeps the changes, and the other collection is sent now`() throws {
        let scenario = try Self.start()
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.phone.failNext(RemoteFailure(.historyLost, "410"))
        try Self.transact(scenario.phone)
        try scenario.phone.sync(Self.lists)
        try scenario.carry(scenario.phone)
        #expect(try scenario.phone.engine.snapshot(of: "work", in: Self.lists)?.phase == .synced)
        try scenario.settle()
        #expect(try scenario.onServer("1")?.count == 2)
        #expect(try scenario.onServer("2")?.count == 2)
        try scenario.expectAgreement(on: "1")
    }
}
