import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// The server was rolled back, and other devices have written to it since (Contract §6): restored values replace no newer ones.
@Suite struct NewerThanLostTests {
    let server: RestorableServer
    let phone: Device
    let laptop: Device

    /// Both devices have record 1 with n 1, and the server has a backup of it.
    init() throws {
        try self.init(.journal)
    }

    private init(_ policy: ServerRollbackPolicy) throws {
        let configuration = SyncConfiguration(serverRolledBack: policy)
        self.server = try RestorableServer()
        self.phone = try Device("phone", seed: 1, clock: self.server.clock, configuration: configuration)
        self.laptop = try Device("laptop", seed: 2, clock: self.server.clock, configuration: configuration)
        try self.laptop.create(["n": 1, "m": 1], pk: "1")
        try self.server.sync(self.laptop, self.phone)
        try self.server.backUp()
    }

    private func restoreAll(_ device: Device) throws -> JournalEntry.Restoration {
        var restoration: JournalEntry.Restoration?
        try device.run { (engine) throws(TidemarkError) in
            let outcome = try engine.restoreAll(.serverRolledBack, in: SyncScenario.collection)
            restoration = outcome.value
            return outcome.effects
        }
        return try #require(restoration)
    }

    private static func lines(_ device: Device) throws -> [String] {
        try device.journal().map { entry in
            let value = entry.raw.value.map { String(decoding: $0, as: UTF8.self) } ?? "removed"
            return "\(entry.pk) \(entry.reason) \(entry.path) \(value)"
        }
    }

    // MARK: Values

    @Test func `server-rolled-back: restoring all skips a value written before this device synced`() throws {
        try self.laptop.edit("1") { $0.n = 2 }
        try self.server.sync(self.laptop, self.phone)
        try self.laptop.edit("1") { $0.n = 77 }
        try self.server.putBack()
        try self.server.sync(self.laptop, self.phone)
        #expect(
            try Self.lines(self.phone) == ["1 server-rolled-back /n 2"], "a newer value does not hide the loss (I1)")
        let restoration = try self.restoreAll(self.phone)
        #expect(restoration.restored.isEmpty)
        #expect(restoration.left.map(\.reason) == [.changedSince])
        try self.server.sync(self.phone)
        #expect(try self.server.content("1")?.n == 77)
    }

    @Test func `server-rolled-back: restoring all skips a value written after this device synced`() throws {
        try self.laptop.edit("1") { view in
            view.n = 2
            view.m = 2
        }
        try self.server.sync(self.laptop, self.phone)
        try self.server.putBack()
        try self.server.sync(self.phone, self.laptop)
        try self.laptop.edit("1") { $0.n = 77 }
        try self.server.sync(self.laptop, self.phone)
        let restoration = try self.restoreAll(self.phone)
        #expect(restoration.restored.count == 1, "the other value of the record is as the server showed it")
        #expect(restoration.left.map(\.why) == ["/n was changed after the server was rolled back."])
        try self.server.sync(self.phone)
        #expect(try self.server.content("1") == ["n": 77, "m": 2])
    }

    @Test func `server-rolled-back: restoring all skips a record that was made again`() throws {
        try self.laptop.create(["n": 1], pk: "2")
        try self.server.sync(self.laptop, self.phone)
        try self.server.putBack()
        try self.server.sync(self.phone, self.laptop)
        try self.laptop.create(["n": 77], pk: "2")
        try self.server.sync(self.laptop, self.phone)
        #expect(try self.restoreAll(self.phone).left.map(\.reason) == [.changedSince])
        try self.server.sync(self.phone)
        #expect(try self.server.content("2") == ["n": 77])
    }

    @Test func `server-rolled-back: sendAgain skips a value written before this device synced`() throws {
        let test = try Self(.sendAgain)
        try test.laptop.edit("1") { $0.n = 2 }
        try test.server.sync(test.laptop, test.phone)
        try test.laptop.edit("1") { $0.n = 77 }
        try test.server.putBack()
        try test.server.sync(test.laptop, test.phone, test.laptop)
        #expect(try test.server.content("1")?.n == 77)
        #expect(try test.phone.engine.status(of: SyncScenario.collection).lostByServer == 1)
    }

    // MARK: Removals

    @Test func `server-rolled-back: a member that was never here is no lost removal`() throws {
        try self.laptop.edit("1") { $0.n = 2 }
        try self.server.sync(self.laptop, self.phone)
        try self.laptop.edit("1") { $0.x = 1 }
        try self.server.putBack()
        try self.server.sync(self.laptop, self.phone)
        #expect(try Self.lines(self.phone) == ["1 server-rolled-back /n 2"], "and /x is not journalled")
        _ = try self.restoreAll(self.phone)
        try self.server.sync(self.phone)
        #expect(try self.server.content("1")?.x == 1)
    }

    @Test func `server-rolled-back (I1): an undone removal of a member is journalled`() throws {
        try self.laptop.edit("1") { view in
            view = ["n": 1]
        }
        try self.server.sync(self.laptop, self.phone)
        try self.server.putBack()
        try self.server.sync(self.phone, self.laptop)
        #expect(try Self.lines(self.phone).isEmpty, "the phone has removed nothing")
        #expect(try Self.lines(self.laptop) == ["1 server-rolled-back /m removed"])
        #expect(try self.restoreAll(self.laptop).restored.count == 1)
        try self.server.sync(self.laptop)
        #expect(try self.server.content("1") == ["n": 1])
    }

    @Test(arguments: ServerRollbackPolicy.allCases)
    func `server-rolled-back (I1): an undone deletion is journalled, and made again`(
        policy: ServerRollbackPolicy
    ) throws {
        let test = try Self(policy)
        try test.phone.delete("1")
        try test.server.sync(test.phone, test.laptop)
        try test.server.putBack()
        try test.server.sync(test.phone)
        if policy == .pause {
            try test.phone.renew()
            try test.server.sync(test.phone)
        }
        #expect(
            try Self.lines(test.phone).filter { $0.contains("server-rolled-back") } == ["1 server-rolled-back  removed"]
        )
        #expect(test.phone.reports.last?.lostByServer == 1)
        if policy != .sendAgain { #expect(try test.restoreAll(test.phone).restored.count == 1) }
        #expect(try test.phone.engine.status(of: SyncScenario.collection).lostByServer == 0)
        try test.server.sync(test.phone)
        #expect(try test.server.content("1") == nil)
    }

    @Test func `server-rolled-back: restoring all skips a record changed after its lost deletion`() throws {
        try self.phone.delete("1")
        try self.server.sync(self.phone)
        try self.server.putBack()
        try self.laptop.edit("1") { $0.n = 77 }
        try self.server.sync(self.laptop, self.phone)
        #expect(try Self.lines(self.phone) == ["1 server-rolled-back  removed"])
        #expect(try self.restoreAll(self.phone).left.map(\.reason) == [.changedSince])
        try self.server.sync(self.phone)
        #expect(try self.server.content("1")?.n == 77)
    }

    @Test func `server-rolled-back: the last confirmed removals are kept, up to a limit`() throws {
        var configuration = SyncConfiguration()
        configuration.limits.removals = 1
        let tablet = try Device("tablet", seed: 3, clock: self.server.clock, configuration: configuration)
        try tablet.create(["n": 2], pk: "2")
        try self.server.sync(tablet)
        try self.server.backUp()
        for pk in ["1", "2"] { try tablet.delete(pk) }
        try self.server.sync(tablet)
        try self.server.putBack()
        try self.server.sync(tablet)
        #expect(try Self.lines(tablet) == ["2 server-rolled-back  removed"])
    }
}
