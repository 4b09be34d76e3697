import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

/// Between two starts of an app, another program edits its store: it has none of the app's rules (Contract §13).
@Suite struct `A guest decides nothing` {
    private static let tactics: [any Tactic] = [.autoMerge, .takeClient, .takeServer]

    /// The rules of the app: the user decides about prices.
    private static var owner: SyncConfiguration {
        get throws {
            var configuration = SyncConfiguration()
            configuration["notes"].fields = try FieldRules([("/price", .ask)])
            return configuration
        }
    }

    private static func guest(_ tactic: any Tactic = .autoMerge) -> SyncConfiguration {
        var configuration = SyncConfiguration(rules: CollectionRules(tactic: tactic))
        configuration.isGuest = true
        return configuration
    }

    /// The tablet's price has met another one.
    private func conflict() throws -> SyncScenario {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.price = 2 }
        try scenario.sync(scenario.phone)
        try scenario.tablet.edit("42") { $0.price = 3 }
        try scenario.sync(scenario.tablet)
        #expect(try scenario.tablet.phase("42") == .edited(.deciding))
        return scenario
    }

    private func inSync(_ limits: ServerLimits = ServerLimits()) throws -> SyncScenario {
        let scenario = try SyncScenario(configuration: try Self.owner, limits: limits)
        try scenario.phone.create(["price": 1, "done": false], pk: "42")
        try scenario.settle()
        return scenario
    }

    private func open(_ scenario: SyncScenario) throws -> RecordConflict? {
        try scenario.tablet.engine.conflict(of: "42", in: "notes")
    }

    @Test(arguments: Self.tactics)
    func `an edit of an open conflict leaves it open, and the owner asks again (R28)`(tactic: any Tactic) throws {
        let scenario = try self.conflict()
        try scenario.tablet.restart(configuration: Self.guest(tactic))
        try scenario.tablet.edit("42") { $0.done = true }
        #expect(try scenario.tablet.phase("42") == .edited(.deciding))
        #expect(try scenario.tablet.view("42") == ["price": 3, "done": true])
        try scenario.tablet.restart(configuration: try Self.owner)
        try scenario.sync(scenario.tablet)
        let open = try #require(try self.open(scenario))
        #expect(open.asked.map(\.path.text) == ["/price"])
        #expect(try scenario.tablet.journal().isEmpty)
        try scenario.tablet.run { (engine) throws(TidemarkError) in try engine.resolve(open, .clashes(.server)).effects
        }
        try scenario.settle()
        #expect(try scenario.onServer("42") == ["price": 2, "done": true])
        try scenario.expectAgreement(on: "42")
    }

    @Test func `an edit that default rules would settle stays open (R28)`() throws {
        let scenario = try self.conflict()
        try scenario.tablet.restart(configuration: Self.guest())
        // The price of the server: without rules both sides are equal.
        try scenario.tablet.edit("42") { $0.price = 2 }
        #expect(try scenario.tablet.phase("42") == .edited(.deciding))
        try scenario.tablet.restart(configuration: try Self.owner)
        try scenario.settle()
        try scenario.expectAgreement(on: "42")
    }

    @Test func `a delete of an open conflict leaves it open (R28)`() throws {
        let scenario = try self.conflict()
        try scenario.tablet.restart(configuration: Self.guest(.takeServer))
        try scenario.tablet.run { (engine) throws(TidemarkError) in try engine.delete("42", in: "notes").effects }
        #expect(try scenario.tablet.phase("42") == .deleted(.deciding))
        try scenario.tablet.create(["price": 9], pk: "42")
        #expect(try scenario.tablet.phase("42") == .edited(.deciding))
        #expect(try scenario.tablet.journal().isEmpty)
    }

    @Test(arguments: Self.tactics)
    func `a conflict in the sync of a guest stays open until the owner's next sync (R28)`(tactic: any Tactic) throws {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.price = 2 }
        try scenario.sync(scenario.phone)
        try scenario.tablet.restart(configuration: Self.guest(tactic))
        try scenario.tablet.edit("42") { ($0.price, $0.done) = (3, true) }
        try scenario.sync(scenario.tablet)
        #expect(try scenario.tablet.phase("42") == .edited(.deciding))
        #expect(scenario.tablet.reports.last?.outcome == .conflicts)
        #expect(try scenario.tablet.journal().isEmpty)
        // Neither does its next sync, as another process, ask its own tactic.
        try scenario.tablet.restart()
        try scenario.sync(scenario.tablet)
        #expect(try scenario.tablet.phase("42") == .edited(.deciding))
        try scenario.tablet.restart(configuration: SyncConfiguration(rules: CollectionRules(tactic: .takeServer)))
        try scenario.settle()
        #expect(try scenario.onServer("42") == ["price": 2, "done": false])
        try scenario.expectAgreement(on: "42")
    }

    @Test func `a tombstone in the sync of a guest is a conflict for the owner (R14, R28)`() throws {
        let scenario = try self.inSync()
        try scenario.phone.run { (engine) throws(TidemarkError) in try engine.delete("42", in: "notes").effects }
        try scenario.sync(scenario.phone)
        try scenario.tablet.restart(configuration: Self.guest(.takeServer))
        try scenario.tablet.edit("42") { $0.done = true }
        try scenario.sync(scenario.tablet)
        #expect(try scenario.tablet.phase("42") == .edited(.deciding))
        // Both sides deleted it: no rule is asked about that (R9).
        try scenario.tablet.run { (engine) throws(TidemarkError) in try engine.delete("42", in: "notes").effects }
        #expect(try scenario.tablet.phase("42") == .absent)
    }

    @Test func `the user resolves a conflict in a guest (R28)`() throws {
        let scenario = try self.conflict()
        try scenario.tablet.restart(configuration: Self.guest())
        let open = try #require(try self.open(scenario))
        try scenario.tablet.run { (engine) throws(TidemarkError) in try engine.resolve(open, .takeClient).effects }
        #expect(try scenario.tablet.phase("42") == .edited(.idle))
    }

    @Test func `a draft whose field changed meanwhile asks the user, whatever the tactic of the guest (R28)`() throws {
        let scenario = try self.inSync()
        try scenario.tablet.restart(configuration: Self.guest(.takeClient))
        try scenario.tablet.edit("42") { $0.price = 2 }
        let error = #expect(throws: TidemarkError.self) {
            _ = try scenario.tablet.engine.save(
                ["price": 3, "done": false], from: ["price": 1, "done": false], of: "42", in: "notes")
        }
        #expect(error?.code == .draftConflict)
        // Fields that only the draft changed need no rule.
        _ = try scenario.tablet.engine.save(
            ["price": 1, "done": true], from: ["price": 1, "done": false], of: "42", in: "notes")
        #expect(try scenario.tablet.view("42") == ["price": 2, "done": true])
    }

    @Test func `a refused change is held, whatever the policy of the guest (R28)`() throws {
        var limits = ServerLimits()
        limits.record = 200
        let scenario = try self.inSync(limits)
        var configuration = Self.guest()
        configuration.policies.refused = .resign
        try scenario.tablet.restart(configuration: configuration)
        try scenario.tablet.edit("42") { $0.body = .string(JSONString(String(repeating: "x", count: 500))) }
        try scenario.sync(scenario.tablet)
        #expect(try scenario.tablet.phase("42") == .edited(.held))
        #expect(try scenario.tablet.journal().isEmpty)
    }
}

@Suite struct `A guest removes nothing` {
    private static func configuration(isGuest: Bool, traceLimit: Int? = nil) -> SyncConfiguration {
        var configuration = SyncConfiguration(
            rules: CollectionRules(tactic: .takeServer), journalLimit: isGuest ? 1 : nil, traceLimit: traceLimit)
        if isGuest { (configuration.limits.removals, configuration.limits.replacedValues) = (1, 1) }
        configuration.isGuest = isGuest
        return configuration
    }

    @Test func `a guest leaves journal and removals beyond its limits (R29)`() throws {
        let scenario = try SyncScenario(configuration: Self.configuration(isGuest: false))
        for pk in ["1", "2", "3"] { try scenario.phone.create(["n": 1, "m": 1], pk: pk) }
        try scenario.settle()
        func lose(_ pk: String) throws {
            try scenario.tablet.edit(pk) { $0.n = 2 }
            try scenario.tablet.run { (engine) throws(TidemarkError) in try engine.resign(pk, in: "notes") }
            try scenario.tablet.edit(pk) { $0.m = nil }
            try scenario.sync(scenario.tablet)
        }
        for pk in ["1", "2"] { try lose(pk) }
        try scenario.tablet.restart(configuration: Self.configuration(isGuest: true))
        try lose("3")
        #expect(try scenario.tablet.journal().count == 3)
        for pk in ["1", "2", "3"] { #expect(try scenario.tablet.store.removals(of: pk, in: "notes").count == 1) }
    }

    @Test(arguments: [nil, 10] as [Int?])
    func `a guest continues a trace without a gap, whatever its own limit (R29)`(limit: Int?) throws {
        let scenario = try SyncScenario(configuration: Self.configuration(isGuest: false, traceLimit: 2_000))
        for pk in 0..<60 { try scenario.phone.create(["n": 1], pk: "\(pk)") }
        try scenario.settle()
        let before = try scenario.phone.engine.storedTrace().entries
        try scenario.phone.restart(configuration: Self.configuration(isGuest: true, traceLimit: limit))
        try scenario.phone.edit("1") { $0.n = 2 }
        let after = try scenario.phone.engine.storedTrace()
        #expect(after.entries.count == before.count + 2)
        #expect(after.entries.first == before.first)
        #expect(after.entries.map(\.number) == after.entries.indices.map { Int64($0) + 1 })
        #expect(after.differences() == [])
    }

    @Test func `a guest begins no trace, and bounds one that it continues (R29)`() throws {
        let store = MemoryStore()
        func engine(_ configuration: SyncConfiguration, _ seed: UInt64) throws -> SyncEngine {
            try SyncEngine(store: store, configuration: configuration, seed: seed)
        }
        let first = try engine(Self.configuration(isGuest: true, traceLimit: 100), 1)
        _ = try first.create(["n": 1], pk: "1", in: "notes")
        #expect(try first.storedTrace().entries.isEmpty)
        _ = try engine(Self.configuration(isGuest: false, traceLimit: 100), 2).create(["n": 1], pk: "2", in: "notes")
        let guest = try engine(Self.configuration(isGuest: true), 3)
        for number in 0..<3_000 { _ = try guest.edit("1", in: "notes") { _ in ["n": JSON(number)] } }
        let count = try guest.storedTrace().entries.count
        #expect(count > 1_000 && count < 1_100, "\(count)")
        let owner = try engine(Self.configuration(isGuest: false, traceLimit: 100), 4)
        _ = try owner.create(["n": 1], pk: "3", in: "notes")
        #expect(try owner.storedTrace().entries.count <= 116)
    }

    @Test func `a guest journals the values that the owner watches, and watches no others (R29)`() throws {
        let scenario = try SyncScenario(configuration: SyncConfiguration(journalsReplacedFor: .seconds(86_400)))
        try scenario.phone.create(["title": "Oat"], pk: "42")
        try scenario.settle()
        try scenario.tablet.edit("42") { $0.title = "Soy" }
        try scenario.sync(scenario.tablet)
        try scenario.phone.restart(configuration: Self.configuration(isGuest: true))
        try scenario.phone.create(["title": "Rice"], pk: "43")
        try scenario.sync(scenario.phone)
        #expect(try scenario.phone.journal().map(\.reason) == [.replaced])
        #expect(try scenario.phone.store.watchedRecords(in: "notes", after: nil, limit: 9).map(\.pk) == [])
    }
}

@Suite struct `The capabilities that an owner saves` {
    private static var all: [RemoteCapabilities] {
        var list = [RemoteCapabilities.native]
        for change: (inout RemoteCapabilities) -> Void in [
            { $0.condition = .checkedFirst(watch: .milliseconds(1_500)) }, { $0.condition = .none },
            { $0.repetition = .recognized }, { $0.feed = .late(.seconds(3)) }, { $0.feed = .listing },
            { $0.tombstones = .forever }, { $0.tombstones = .kept(.seconds(9), isSignalled: false) },
            { $0.tombstones = .none }, { $0.names = .member("/my~1key") }, { $0.names = .server },
            { $0.values = .byValue }, { $0.values = .rounded }, { $0.judgesSeen = false },
            { ($0.serverMembers, $0.carriedMembers) = (["/_id", "/a/b"], ["/_attachments"]) }, { $0.batchSize = 25 },
        ] {
            var capabilities = RemoteCapabilities.native
            change(&capabilities)
            list.append(capabilities)
        }
        return list
    }

    private static func guest(_ store: MemoryStore) throws(TidemarkError) -> SyncEngine {
        var configuration = SyncConfiguration()
        configuration.isGuest = true
        return try SyncEngine(store: store, configuration: configuration, capabilities: nil, seed: 3)
    }

    @Test(arguments: Self.all)
    func `a client without a server has those of the owner (R30)`(capabilities: RemoteCapabilities) throws {
        let store = MemoryStore()
        _ = try SyncEngine(store: store, configuration: SyncConfiguration(), capabilities: capabilities, seed: 1)
        #expect(try store.setting("capabilities") == nil || capabilities != .native)
        #expect(try Self.guest(store).capabilities == capabilities)
    }

    @Test func `an edit without a server sends no member of the server back (R30)`() throws {
        let store = MemoryStore()
        var capabilities = RemoteCapabilities.native
        capabilities.serverMembers = ["/_rev"]
        let owner = try SyncEngine(
            store: store, configuration: SyncConfiguration(), capabilities: capabilities, seed: 1)
        _ = try owner.create(["title": "Milk"], pk: "42", in: "notes")
        try store.transaction { () throws(TidemarkError) in
            let data = Array(#"{"title":"Milk","_rev":7}"#.utf8)
            try store.save(
                StoredRecord(pk: "42", phase: .synced, confirmed: StoredVersion(version: "1", data: data)), in: "notes")
        }
        _ = try Self.guest(store).edit("42", in: "notes") { _ in ["title": "Oat milk"] }
        let edits = try #require(try store.record("42", in: "notes")?.editedData)
        #expect(String(decoding: edits, as: UTF8.self).contains("title"))
        #expect(!String(decoding: edits, as: UTF8.self).contains("_rev"))
    }

    @Test func `an owner saves what has changed, and a guest saves nothing (R30)`() throws {
        let store = MemoryStore()
        var capabilities = RemoteCapabilities.native
        capabilities.batchSize = 3
        func open(_ capabilities: RemoteCapabilities, isGuest: Bool = false) throws -> String? {
            var configuration = SyncConfiguration()
            configuration.isGuest = isGuest
            _ = try SyncEngine(store: store, configuration: configuration, capabilities: capabilities, seed: 1)
            return try store.setting("capabilities")
        }
        #expect(try open(.native) == nil)
        let saved = try open(capabilities)
        #expect(saved?.contains(#""batchSize":3"#) == true)
        #expect(try open(.native, isGuest: true) == saved)
        #expect(try open(.native) == nil)
    }

    @Test(arguments: ["", "{}", "7", #"{"condition":"quantum"}"#, "native"])
    func `a text that can't be read is an error, and no assumption (R30)`(text: String) throws {
        let store = MemoryStore()
        try store.transaction { () throws(TidemarkError) in try store.set("capabilities", to: text) }
        let error = #expect(throws: TidemarkError.self) { try Self.guest(store) }
        #expect(error?.code == .storeNewer)
        // The owner needs no stored text, and replaces it.
        _ = try SyncEngine(store: store, configuration: SyncConfiguration(), seed: 1)
        #expect(try store.setting("capabilities") == nil)
    }
}
