import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A server was put back, and others have written to it since (SPEC §6): what is brought back replaces nothing newer.
@Suite struct NewerThanLostTests {
    let server: RestorableServer
    let phone: Device
    let laptop: Device

    /// Both have record 1 with n 1, and the server has a backup of that.
    init() throws {
        try self.init(.journal)
    }

    private init(_ policy: ServerWentBackPolicy) throws {
        let configuration = SyncConfiguration(serverWentBack: policy)
        self.server = try RestorableServer()
        self.phone = try Device("phone", seed: 1, clock: self.server.clock, configuration: configuration)
        self.laptop = try Device("laptop", seed: 2, clock: self.server.clock, configuration: configuration)
        try self.laptop.create(["n": 1, "m": 1], pk: "1")
        try self.server.sync(self.laptop, self.phone)
        try self.server.backUp()
    }

    private func restoreAll(_ device: Device) throws -> Restoration {
        var restoration: Restoration?
        try device.run { (engine) throws(TidemarkError) in
            let outcome = try engine.restoreAll(.serverWentBack, in: Meeting.collection)
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

    @Test func `server-went-back: restoring all leaves a value that was written before this device synced`() throws {
        try self.laptop.edit("1") { $0.n = 2 }
        try self.server.sync(self.laptop, self.phone)
        try self.laptop.edit("1") { $0.n = 77 }
        try self.server.putBack()
        try self.server.sync(self.laptop, self.phone)
        #expect(try Self.lines(self.phone) == ["1 server-went-back /n 2"], "it was lost, whatever came after it (I1)")
        let restoration = try self.restoreAll(self.phone)
        #expect(restoration.restored.isEmpty)
        #expect(restoration.left.map(\.reason) == [.changedSince])
        try self.server.sync(self.phone)
        #expect(try self.server.content("1")?.n == 77)
    }

    @Test func `server-went-back: restoring all leaves a value that was written after this device synced`() throws {
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
        #expect(restoration.left.map(\.why) == ["/n was changed after the server went back."])
        try self.server.sync(self.phone)
        #expect(try self.server.content("1") == ["n": 77, "m": 2])
    }

    @Test func `server-went-back: restoring all leaves a record that was made again`() throws {
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

    @Test func `server-went-back: the policy sendAgain leaves a value that was written before this device synced`()
        throws
    {
        let test = try Self(.sendAgain)
        try test.laptop.edit("1") { $0.n = 2 }
        try test.server.sync(test.laptop, test.phone)
        try test.laptop.edit("1") { $0.n = 77 }
        try test.server.putBack()
        try test.server.sync(test.laptop, test.phone, test.laptop)
        #expect(try test.server.content("1")?.n == 77)
        #expect(try test.phone.engine.status(of: Meeting.collection).lostByServer == 1)
    }

    // MARK: Removals

    @Test func `server-went-back: a member that was never here is no lost removal`() throws {
        try self.laptop.edit("1") { $0.n = 2 }
        try self.server.sync(self.laptop, self.phone)
        try self.laptop.edit("1") { $0.x = 1 }
        try self.server.putBack()
        try self.server.sync(self.laptop, self.phone)
        #expect(try Self.lines(self.phone) == ["1 server-went-back /n 2"], "and nothing of /x")
        _ = try self.restoreAll(self.phone)
        try self.server.sync(self.phone)
        #expect(try self.server.content("1")?.x == 1)
    }

    @Test func `server-went-back (I1): a confirmed removal of a member that the server undid is journalled`() throws {
        try self.laptop.edit("1") { view in
            view = ["n": 1]
        }
        try self.server.sync(self.laptop, self.phone)
        try self.server.putBack()
        try self.server.sync(self.phone, self.laptop)
        #expect(try Self.lines(self.phone).isEmpty, "the phone has removed nothing")
        #expect(try Self.lines(self.laptop) == ["1 server-went-back /m removed"])
        #expect(try self.restoreAll(self.laptop).restored.count == 1)
        try self.server.sync(self.laptop)
        #expect(try self.server.content("1") == ["n": 1])
    }

    @Test(arguments: ServerWentBackPolicy.allCases)
    func `server-went-back (I1): a confirmed deletion that the server undid is journalled, and made again`(
        policy: ServerWentBackPolicy
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
        #expect(try Self.lines(test.phone).filter { $0.contains("went-back") } == ["1 server-went-back  removed"])
        #expect(test.phone.reports.last?.lostByServer == 1)
        if policy != .sendAgain { #expect(try test.restoreAll(test.phone).restored.count == 1) }
        #expect(try test.phone.engine.status(of: Meeting.collection).lostByServer == 0)
        try test.server.sync(test.phone)
        #expect(try test.server.content("1") == nil)
    }

    @Test func `server-went-back: restoring all leaves a record that was changed after its deletion was lost`() throws {
        try self.phone.delete("1")
        try self.server.sync(self.phone)
        try self.server.putBack()
        try self.laptop.edit("1") { $0.n = 77 }
        try self.server.sync(self.laptop, self.phone)
        #expect(try Self.lines(self.phone) == ["1 server-went-back  removed"])
        #expect(try self.restoreAll(self.phone).left.map(\.reason) == [.changedSince])
        try self.server.sync(self.phone)
        #expect(try self.server.content("1")?.n == 77)
    }

    @Test func `server-went-back: the last confirmed removals are kept, and no more than the limit says`() throws {
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
        #expect(try Self.lines(tablet) == ["2 server-went-back  removed"])
    }
}
