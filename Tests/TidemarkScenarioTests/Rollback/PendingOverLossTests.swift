import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// An app's rule that forwards to another one.
private struct RuleOfAnApp: FieldRule {
    let rule: any FieldRule

    var isAdditive: Bool { self.rule.isAdditive }
    var keyedBy: String? { self.rule.keyedBy }
    var isIncremental: Bool { self.rule.isIncremental }

    func decide(_ field: FieldConflict) -> FieldOutcome { self.rule.decide(field) }
}

/// A record with a pending change over a value that a rolled back server has lost (Contract §6).
@Suite struct PendingOverLossTests {
    /// A rule, the value in the backup, the value confirmed after it, and the pending value.
    private static let stories: [(rule: any FieldRule, backup: JSON, confirmed: JSON, pending: JSON)] = [
        (.sum, 0, 12, 112), (.union, ["a"], ["a", "b"], ["a", "b", "c"]), (.list, ["a"], ["a", "b"], ["a", "b", "c"]),
        (.keyed("id"), [["id": 1]], [["id": 1], ["id": 2]], [["id": 1], ["id": 2], ["id": 3]]),
        (.text, "one\n", "one\ntwo\n", "one\ntwo\nthree\n"), (RuleOfAnApp(rule: .sum), 0, 12, 112),
        (
            RuleOfAnApp(rule: .keyed("id")), [["id": 1]], [["id": 1], ["id": 2]],
            [["id": 1], ["id": 2], ["id": 3]]
        ),
    ]

    private static func stage(_ rule: any FieldRule, _ backup: JSON) throws -> (RestorableServer, Device) {
        let server = try RestorableServer()
        let configuration = SyncConfiguration(rules: .init(fields: try FieldRules([("/v", rule)])))
        let phone = try Device("phone", seed: 1, clock: server.clock, configuration: configuration)
        try phone.create(["v": backup], pk: "1")
        try server.sync(phone)
        try server.backUp()
        return (server, phone)
    }

    @Test(arguments: stories.indices)
    func `server-rolled-back (I1): a pending difference is journalled with its lost base`(story: Int) throws {
        let (rule, backup, confirmed, pending) = Self.stories[story]
        let (server, phone) = try Self.stage(rule, backup)
        try phone.edit("1") { $0.v = confirmed }
        try server.sync(phone)
        try phone.edit("1") { $0.v = pending }
        try server.putBack()
        try server.sync(phone)
        let entries = try phone.journal().filter { $0.reason == .serverRolledBack }
        #expect(try entries.map { try #require(try $0.lostValue) } == [pending])
        #expect(phone.reports.last?.lostByServer == 1)
        try phone.run { (engine) throws(TidemarkError) in
            try engine.restoreAll(.serverRolledBack, in: SyncScenario.collection).effects
        }
        try server.sync(phone)
        #expect(try server.content("1")?.v == pending)
    }

    @Test func `server-rolled-back (I1): lost values of a record to be deleted are journalled`() throws {
        let (server, phone) = try Self.stage(.client, 1)
        try phone.edit("1") { $0.v = 50 }
        try server.sync(phone)
        try phone.delete("1")
        try server.putBack()
        try server.sync(phone)
        let entries = try phone.journal().filter { $0.reason == .serverRolledBack }
        #expect(try entries.map { try #require(try $0.lostValue) } == [50])
    }

    @Test func `server-rolled-back: a lost value that was replaced here before the loss is not journalled`() throws {
        let (server, phone) = try Self.stage(.client, 1)
        try phone.edit("1") { $0.v = 50 }
        try server.sync(phone)
        try phone.edit("1") { $0.v = 60 }
        try server.putBack()
        try server.sync(phone)
        #expect(try phone.journal().filter { $0.reason == .serverRolledBack }.isEmpty)
        #expect(try server.content("1")?.v == 60)
    }

    /// How the pending change inside an object ends.
    enum Ending: CaseIterable { case takeServer, resign, whole, fields, left }

    @Test(arguments: Ending.allCases, [[:], ["e": "old"]] as [JSON])
    func `server-rolled-back (I1): the members beside a pending edit are journalled`(
        ending: Ending, edited: JSON
    ) throws {
        let tactic: any Tactic = ending == .takeServer ? .takeServer : ending == .left ? .takeClient : .askUser
        let server = try RestorableServer()
        let configuration = SyncConfiguration(rules: .init(tactic: tactic))
        let phone = try Device("phone", seed: 1, clock: server.clock, configuration: configuration)
        try phone.create(["t": "x"], pk: "1")
        try server.sync(phone)
        try server.backUp()
        var confirmed = edited
        confirmed.a = "confirmed"
        confirmed.deep = ["b": "confirmed", "list": [["id": 1, "x": "confirmed"]]]
        try phone.edit("1") { $0.o = confirmed }
        try server.sync(phone)
        try phone.edit("1") { view in
            var object = view.o ?? [:]
            object.e = "waiting"
            view.o = object
        }
        try server.putBack()
        try server.sync(phone)
        let collection = SyncScenario.collection
        if [.resign, .whole, .fields].contains(ending) {
            #expect(try phone.phase("1") == .edited(.deciding))
            try phone.run { (engine) throws(TidemarkError) in
                guard ending != .resign else { return try engine.resign("1", in: collection) }
                guard let conflict = try engine.conflict(of: "1", in: collection) else {
                    throw TidemarkError(.nothingToDecide, "no conflict")
                }
                return try engine.resolve(conflict, ending == .whole ? .takeServer : .clashes(.server)).effects
            }
            try server.sync(phone)
        }
        if ending != .left { #expect(try phone.view("1") == ["t": "x"]) }
        let entries = try phone.journal().filter { $0.reason == .serverRolledBack }
        #expect(entries.map(\.path.text) == ["/o"])
        #expect(try entries.first?.lostValue == confirmed)
        guard ending != .left else { return #expect(try server.content("1")?.o?.a == "confirmed") }
        try phone.run { (engine) throws(TidemarkError) in
            try engine.restoreAll(.serverRolledBack, in: collection).effects
        }
        try server.sync(phone)
        #expect(try server.content("1")?.o == confirmed)
    }

    @Test func `server-rolled-back: sendAgain keeps a pending edit inside a lost object`() throws {
        let server = try RestorableServer()
        let configuration = SyncConfiguration(serverRolledBack: .sendAgain)
        let phone = try Device("phone", seed: 1, clock: server.clock, configuration: configuration)
        try phone.create(["t": "x"], pk: "1")
        try server.sync(phone)
        try server.backUp()
        try phone.edit("1") { $0.o = ["a": "confirmed"] }
        try server.sync(phone)
        try phone.edit("1") { $0.o = ["a": "confirmed", "e": "waiting"] }
        try server.putBack()
        try server.sync(phone, phone)
        #expect(try server.content("1") == ["t": "x", "o": ["a": "confirmed", "e": "waiting"]])
    }

    @Test func `server-rolled-back (I1): a lost value is journalled while a conflict is open`() throws {
        let server = try RestorableServer()
        let configuration = SyncConfiguration(rules: .init(tactic: .askUser))
        let phone = try Device("phone", seed: 1, clock: server.clock, configuration: configuration)
        let laptop = try Device("laptop", seed: 2, clock: server.clock, configuration: configuration)
        // For a record of this size the server repeats an answer with the current row.
        let pad = JSON.string(JSONString(String(repeating: "x", count: 20_000)))
        try phone.create(["a": 1, "b": 0, "pad": pad], pk: "1")
        try server.sync(phone, laptop)
        try server.backUp()
        try phone.edit("1") {
            $0.a = 2
            $0.b = 1
        }
        try phone.sync(SyncScenario.collection)
        let sent = phone.outbox.removeFirst()
        _ = try server.exchange(sent.request)
        try phone.fail(RemoteFailure(.offline, "the answer was lost"), for: sent.token)
        try phone.edit("1") { $0.b = 5 }
        try server.sync(laptop)
        try laptop.edit("1") {
            $0.a = 7
            $0.b = 9
        }
        try server.sync(laptop)
        server.clock.advance(by: .seconds(600))
        try server.sync(phone)
        #expect(try phone.phase("1") == .edited(.deciding))
        try server.putBack()
        try server.sync(phone)
        let entry = try phone.journal().first { $0.reason == .serverRolledBack && $0.path.text == "/a" }
        #expect(try entry?.lostValue == 7)
    }
}
