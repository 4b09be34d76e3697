import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A server that was rolled back to a backup has lost acknowledged edits (Contract §6).
@Suite struct ServerRolledBackTests {
    let server: RestorableServer
    let phone: Device
    let laptop: Device

    /// Both devices have record 1, and the server has a backup of it.
    init() throws {
        try self.init(SyncConfiguration())
    }

    private init(_ configuration: SyncConfiguration) throws {
        self.server = try RestorableServer()
        self.phone = try Device("phone", seed: 1, clock: self.server.clock, configuration: configuration)
        self.laptop = try Device("laptop", seed: 2, clock: self.server.clock, configuration: configuration)
        try self.laptop.create(["title": "Milk", "n": 1], pk: "1")
        try self.server.sync(self.laptop, self.phone)
        try self.server.backUp()
    }

    private static func with(_ policy: ServerRollbackPolicy, pageSize: Int = 500) -> SyncConfiguration {
        var configuration = SyncConfiguration(serverRolledBack: policy)
        configuration.limits.pageSize = pageSize
        return configuration
    }

    private static func lines(_ device: Device) throws -> [String] {
        try device.journal().map { entry in
            let value = entry.raw.value.map { String(decoding: $0, as: UTF8.self) } ?? "removed"
            return "\(entry.pk) \(entry.reason) \(entry.path) \(value)"
        }
    }

    @discardableResult
    private func restoreAll(_ device: Device) throws -> JournalEntry.Restoration {
        var restoration: JournalEntry.Restoration?
        try device.run { (engine) throws(TidemarkError) in
            let outcome = try engine.restoreAll(.serverRolledBack, in: SyncScenario.collection)
            restoration = outcome.value
            return outcome.effects
        }
        return try #require(restoration)
    }

    private func expectAgreement(_ pk: String, _ content: JSON?) throws {
        #expect(try self.server.content(pk) == content)
        for device in [self.phone, self.laptop] {
            #expect(try device.view(pk) == content, "\(device.name)")
            #expect(try device.phase(pk) == (content == nil ? .absent : .synced), "\(device.name)")
        }
    }

    @Test func `a record that a rolled-back server lost is journalled and can be restored (I1)`() throws {
        try self.laptop.create(["title": "Bread"], pk: "2")
        try self.server.sync(self.laptop, self.phone)
        try self.server.putBack()
        try self.server.sync(self.phone)
        #expect(try self.phone.phase("2") == .absent)
        #expect(self.phone.reports.last?.lostByServer == 1)
        #expect(self.phone.reports.last?.outcome == .inSync)
        #expect(try Self.lines(self.phone) == [#"2 server-rolled-back  {"title":"Bread"}"#])
        #expect(try self.phone.engine.status(of: SyncScenario.collection).lostByServer == 1)
        try self.phone.restart()
        #expect(try self.phone.engine.status(of: SyncScenario.collection).lostByServer == 1)

        #expect(try self.restoreAll(self.phone).restored == [1])
        #expect(try self.phone.engine.status(of: SyncScenario.collection).lostByServer == 0)
        try self.server.sync(self.phone, self.laptop, self.phone)
        try self.expectAgreement("2", ["title": "Bread"])
        try self.expectAgreement("1", ["title": "Milk", "n": 1])
        #expect(self.phone.reports.last?.lostByServer == nil, "it is reported once")
        #expect(try self.restoreAll(self.phone).restored.isEmpty, "it is restored once")
    }

    @Test func `server-rolled-back (I1): a lost value is journalled and set again`() throws {
        try self.phone.edit("1") { $0.title = "Oat milk" }
        try self.server.sync(self.phone, self.laptop)
        try self.server.putBack()
        try self.server.sync(self.laptop)
        #expect(try self.laptop.view("1") == ["title": "Milk", "n": 1])
        #expect(self.laptop.reports.last?.lostByServer == 1)
        #expect(try Self.lines(self.laptop) == [#"1 server-rolled-back /title "Oat milk""#])
        #expect(try self.laptop.journal().first?.raw.version != (try self.laptop.snapshot("1")?.raw.version))
        try self.restoreAll(self.laptop)
        #expect(try self.laptop.phase("1") == .edited(.idle))
        try self.server.sync(self.laptop, self.phone, self.laptop)
        try self.expectAgreement("1", ["title": "Oat milk", "n": 1])
    }

    @Test func `server-rolled-back: another epoch is a rollback, too`() throws {
        try self.server.setUpAnew()
        try self.server.sync(self.phone)
        #expect(self.phone.reports.last?.lostByServer == 1)
        #expect(try Self.lines(self.phone) == [#"1 server-rolled-back  {"title":"Milk","n":1}"#])
        try self.restoreAll(self.phone)
        try self.server.sync(self.phone, self.laptop)
        try self.expectAgreement("1", ["title": "Milk", "n": 1])
    }

    @Test func `server-rolled-back: a record that both devices restore is one record`() throws {
        try self.laptop.create(["title": "Bread"], pk: "2")
        try self.server.sync(self.laptop, self.phone)
        try self.server.putBack()
        try self.server.sync(self.laptop, self.phone)
        for device in [self.laptop, self.phone] where try device.view("2") == nil { try self.restoreAll(device) }
        try self.server.sync(self.laptop, self.phone, self.laptop)
        try self.expectAgreement("2", ["title": "Bread"])
    }

    @Test func `server-rolled-back: the tactic decides about a value that was changed here later`() throws {
        try self.phone.edit("1") { view in
            view.title = "Oat milk"
            view.n = 2
        }
        try self.server.sync(self.phone)
        try self.phone.edit("1") { $0.title = "Soy milk" }
        try self.server.putBack()
        try self.server.sync(self.phone, self.laptop)
        #expect(
            try Self.lines(self.phone).filter { $0.contains("server-rolled-back") } == ["1 server-rolled-back /n 2"])
        try self.expectAgreement("1", ["title": "Soy milk", "n": 1])
    }

    @Test func `server-rolled-back: restoring all skips a record that was deleted here later`() throws {
        try self.phone.edit("1") { $0.title = "Oat milk" }
        try self.server.sync(self.phone)
        try self.server.putBack()
        try self.server.sync(self.phone)
        try self.phone.delete("1")
        let restoration = try self.restoreAll(self.phone)
        #expect(restoration.restored.isEmpty)
        #expect(restoration.left.map(\.pk) == ["1"])
        try self.server.sync(self.phone, self.laptop)
        try self.expectAgreement("1", nil)
    }

    @Test(arguments: [1, 2, 500])
    func `server-rolled-back: a rollback is stored over a broken full resync and a restart`(pageSize: Int) throws {
        let test = try Self(Self.with(.journal, pageSize: pageSize))
        for pk in ["2", "3"] { try test.laptop.create(["n": 2], pk: pk) }
        try test.laptop.edit("1") { $0.n = 5 }
        try test.server.sync(test.laptop, test.phone)
        try test.server.putBack()
        try test.phone.sync(SyncScenario.collection)
        try test.server.carryOne(test.phone)
        try test.phone.failNext(RemoteFailure(.offline, "the network went"))
        try test.phone.restart()
        try test.server.sync(test.phone)
        #expect(
            try Self.lines(test.phone).sorted() == [
                "1 server-rolled-back /n 5", #"2 server-rolled-back  {"n":2}"#, #"3 server-rolled-back  {"n":2}"#,
            ])
        #expect(test.phone.reports.last?.lostByServer == 3)
    }

    @Test func `server-rolled-back: a row that changes during the full resync is not lost`() throws {
        let test = try Self(Self.with(.journal, pageSize: 1))
        for pk in ["2", "3"] { try test.laptop.create(["n": 2], pk: pk) }
        try test.server.sync(test.laptop, test.phone)
        try test.server.backUp()
        try test.laptop.create(["n": 2], pk: "4")
        try test.server.sync(test.laptop, test.phone)
        try test.server.putBack()
        try test.server.sync(test.laptop)
        try test.phone.sync(SyncScenario.collection)
        for _ in 0..<2 { try test.server.carryOne(test.phone) }
        try test.laptop.edit("1") { $0.n = 7 }
        try test.server.sync(test.laptop)
        while !test.phone.outbox.isEmpty { try test.server.carryOne(test.phone) }
        #expect(try test.phone.view("1")?.n == 7)
        #expect(try Self.lines(test.phone) == [#"4 server-rolled-back  {"n":2}"#])
    }

    @Test func `a purge of tombstones is no rollback: missing records were deleted (W8)`() throws {
        try self.laptop.create(["n": 2], pk: "2")
        try self.server.sync(self.laptop, self.phone)
        try self.laptop.delete("2")
        try self.laptop.edit("1") { $0.n = 5 }
        try self.server.sync(self.laptop)
        self.server.clock.advance(by: .seconds(100 * 86_400))
        try self.server.purge(olderThan: .seconds(90 * 86_400))
        try self.server.sync(self.phone)
        try self.expectAgreement("2", nil)
        #expect(self.phone.reports.last?.lostByServer == nil)
        #expect(try self.phone.journal().isEmpty)
    }

    @Test func `server-rolled-back: sendAgain restores all lost values without the app`() throws {
        let test = try Self(Self.with(.sendAgain))
        try test.laptop.create(["title": "Bread"], pk: "2")
        try test.laptop.edit("1") { $0.title = "Oat milk" }
        try test.server.sync(test.laptop, test.phone)
        try test.server.putBack()
        try test.server.sync(test.phone)
        #expect(test.phone.reports.last?.lostByServer == 2)
        #expect(try test.phone.engine.status(of: SyncScenario.collection).lostByServer == 0)
        try test.server.sync(test.phone, test.laptop, test.phone)
        try test.expectAgreement("1", ["title": "Oat milk", "n": 1])
        try test.expectAgreement("2", ["title": "Bread"])
        #expect(try test.restoreAll(test.phone).restored.isEmpty)
    }

    @Test func `server-rolled-back: sendAgain skips a record that was changed here later`() throws {
        let test = try Self(Self.with(.sendAgain))
        try test.laptop.create(["title": "Bread"], pk: "2")
        try test.server.sync(test.laptop, test.phone)
        try test.phone.edit("2") { $0.title = "Rolls" }
        try test.server.putBack()
        try test.server.sync(test.phone)
        #expect(try test.phone.view("2") == ["title": "Rolls"])
        #expect(try Self.lines(test.phone).contains(#"2 server-rolled-back  {"title":"Bread"}"#))
        let status = try test.phone.engine.status(of: SyncScenario.collection)
        #expect(status.lostByServer == 1, "its upload is unconfirmed when the lost values are counted")
    }

    @Test func `server-rolled-back: sendAgain keeps values that other devices added later`() throws {
        var configuration = Self.with(.sendAgain)
        configuration.rules = CollectionRules(fields: try FieldRules([("/tags", .union)]))
        let test = try Self(configuration)
        try test.laptop.edit("1") { $0.title = "Oat milk" }
        try test.server.sync(test.laptop, test.phone)
        try test.phone.edit("1") { $0.tags = ["mine"] }
        try test.server.putBack()
        try test.server.sync(test.laptop)
        try test.laptop.edit("1") { $0.tags = ["theirs"] }
        try test.server.sync(test.laptop, test.phone, test.laptop)
        let text = try test.server.content("1")?.text
        #expect(text == #"{"title":"Oat milk","n":1,"tags":["theirs","mine"]}"#)
        #expect(try Self.lines(test.phone).allSatisfy { !$0.hasPrefix("1 server-rolled-back /tags") })
    }

    @Test func `server-rolled-back: sendAgain counts values that wait for an unconfirmed upload`() throws {
        let test = try Self(Self.with(.sendAgain))
        try test.laptop.edit("1") { $0.title = "Oat milk" }
        try test.server.sync(test.laptop, test.phone)
        try test.phone.edit("1") { $0.n = 2 }
        try test.server.putBack()
        try test.server.sync(test.phone)
        #expect(try test.server.content("1") == ["title": "Milk", "n": 2])
        #expect(try test.phone.engine.status(of: SyncScenario.collection).lostByServer == 1)
        try test.restoreAll(test.phone)
        try test.server.sync(test.phone)
        #expect(try test.server.content("1") == ["title": "Oat milk", "n": 2])
    }

    @Test func `server-rolled-back: an addition to a lost value is journalled as the merged value`() throws {
        var configuration = Self.with(.sendAgain)
        configuration.rules = CollectionRules(fields: try FieldRules([("/tags", .union)]))
        let test = try Self(configuration)
        try test.laptop.edit("1") { $0.tags = ["old"] }
        try test.server.sync(test.laptop, test.phone)
        try test.phone.edit("1") { $0.tags = ["old", "mine"] }
        try test.server.putBack()
        try test.server.sync(test.phone)
        #expect(try Self.lines(test.phone).contains(#"1 server-rolled-back /tags ["old","mine"]"#))
        #expect(try test.phone.engine.status(of: SyncScenario.collection).lostByServer == 1)
    }

    @Test func `server-rolled-back: pause stops the sync until the app resumes it`() throws {
        let test = try Self(Self.with(.pause))
        try test.laptop.create(["title": "Bread"], pk: "2")
        try test.server.sync(test.laptop, test.phone)
        try test.server.putBack()
        for _ in 0..<2 {
            try test.server.sync(test.phone)
            #expect(test.phone.reports.last?.outcome == .unreachable)
            #expect(test.phone.reports.last?.failure?.serverRolledBack == true)
            #expect(try test.phone.view("2") == ["title": "Bread"])
        }
        try test.phone.renew()
        try test.server.sync(test.phone)
        #expect(test.phone.reports.last?.lostByServer == 1)
        #expect(try test.phone.phase("2") == .absent)
        try test.restoreAll(test.phone)
        try test.laptop.renew()
        try test.server.sync(test.phone, test.laptop)
        try test.server.sync(test.laptop)
        #expect(try test.server.content("2") == ["title": "Bread"])
    }

    @Test func `server-rolled-back: pause stops the sync again at the next rollback`() throws {
        let test = try Self(Self.with(.pause))
        try test.phone.sync(SyncScenario.collection)
        let sent = test.phone.outbox.removeFirst()
        try test.phone.fail(RemoteFailure(.historyLost, "It was rolled back.", serverRolledBack: true), for: sent.token)
        #expect(test.phone.reports.last?.outcome == .unreachable)
        // For example, a wrong server answered at the same URL.
        try test.phone.renew()
        try test.laptop.create(["title": "Bread"], pk: "2")
        try test.server.sync(test.laptop, test.phone)
        #expect(test.phone.reports.last?.outcome == .inSync)
        try test.server.putBack()
        try test.server.sync(test.phone)
        #expect(test.phone.reports.last?.outcome == .unreachable)
        #expect(try test.phone.view("2") == ["title": "Bread"])
    }

    @Test func `server-rolled-back: another account's claim in a full resync makes nothing lost`() throws {
        let scenario = try SyncScenario(configuration: Self.with(.journal, pageSize: 1))
        let phone = scenario.phone
        for pk in ["1", "2", "3"] { try phone.create(["n": 1], pk: pk) }
        try scenario.settle()
        try scenario.tablet.delete("3")
        try scenario.sync(scenario.tablet)
        try phone.sync(SyncScenario.collection)
        try phone.failNext(RemoteFailure(.historyLost, "That is too old."))
        try scenario.carryOne(phone)
        // This failure names no account.
        try phone.failNext(RemoteFailure(.historyLost, "It was rolled back.", serverRolledBack: true))
        let sent = phone.outbox.removeFirst()
        var answer = try scenario.remote.exchangeNow(sent.request)
        answer.account = "another"
        try phone.receive(answer, for: sent.token)
        #expect(phone.reports.last?.failure?.failureClass == .identityChanged)
        try phone.renew()
        try scenario.settle()
        #expect(try phone.phase("3") == .absent && phone.view("1") == ["n": 1])
        #expect(try phone.journal().isEmpty)
    }

    /// Syncs a device; the server's items of one record are malformed.
    private func sync(_ device: Device, spoiling pk: String) throws {
        try device.sync(SyncScenario.collection)
        for _ in 0..<20 where !device.outbox.isEmpty {
            let sent = device.outbox.removeFirst()
            let request = sent.request
            do throws(RemoteFailure) {
                var answer = try self.server.exchange(request)
                let rows = answer.page.rows.filter { answer.page.pk(of: $0) != pk }
                let isThere = rows.count < answer.page.rows.count
                answer.page = FeedPage(
                    bytes: answer.page.bytes, rows: rows,
                    malformed: isThere ? [QuarantinedItem(pk: pk, reason: "data is a number")] : [])
                try? device.receive(answer, for: sent.token)
            } catch {
                try? device.fail(error, for: sent.token)
            }
        }
    }

    @Test func `server-rolled-back: the lost value of a malformed item is journalled once`() throws {
        try self.laptop.edit("1") { $0.n = 2 }
        try self.server.sync(self.laptop, self.phone)
        for number in 1...3 {
            try self.server.putBack()
            for _ in 1...4 { try self.sync(self.phone, spoiling: "1") }
            #expect(self.phone.reports.last?.outcome == .held)
            #expect(
                try Self.lines(self.phone).filter { $0.hasPrefix("1 ") }
                    == [#"1 server-rolled-back  {"title":"Milk","n":2}"#])
            #expect(try self.phone.engine.status(of: SyncScenario.collection).lostByServer == number)
            try self.laptop.create(["n": 1], pk: "more-\(number)")
            try self.server.sync(self.laptop)
            try self.sync(self.phone, spoiling: "1")
        }
    }
}
