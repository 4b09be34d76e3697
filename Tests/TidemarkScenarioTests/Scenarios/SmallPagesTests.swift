import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting
import Testing

/// A server that puts few rows on a page, so that many pages have only rows that the device has already.
@Suite struct SmallPagesTests {
    private static func scenario(page: Int) throws -> SyncScenario {
        var limits = ServerLimits()
        limits.page = page
        return try SyncScenario(limits: limits)
    }

    /// Carries a device's requests, at most as many as a limit.
    private func carry(_ device: Device, of scenario: SyncScenario, in limit: Int) throws {
        try device.sync(SyncScenario.collection)
        for _ in 0..<limit where !device.outbox.isEmpty { try scenario.carryOne(device) }
        #expect(device.outbox.isEmpty, "the sync is not over after \(limit) requests")
        #expect(device.reports.last?.failure?.message == nil)
        #expect(device.reports.last?.outcome == .inSync)
    }

    @Test(arguments: [1, 2, 7, 10])
    func `one sync sends a batch whose answer was lost, whatever the server's page (I8)`(page: Int) throws {
        let scenario = try Self.scenario(page: page)
        let pks = (0..<100).map { "p\($0)" }
        for pk in pks { try scenario.phone.create(["n": 1], pk: pk) }
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        try self.carry(scenario.phone, of: scenario, in: 103)
        try self.carry(scenario.tablet, of: scenario, in: 103)
        for pk in pks { try scenario.expectAgreement(pk) }
    }

    @Test(arguments: [1, 7])
    func `one sync reads the rows of another device after its own (I8)`(page: Int) throws {
        let scenario = try Self.scenario(page: page)
        for number in 0..<30 { try scenario.phone.create(["n": 1], pk: "p\(number)") }
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        try scenario.tablet.create(["n": 2], pk: "later")
        try scenario.tablet.sync(SyncScenario.collection)
        for _ in 0..<60 where !scenario.tablet.outbox.isEmpty { try scenario.carryOne(scenario.tablet) }
        try self.carry(scenario.phone, of: scenario, in: 60)
        #expect(try scenario.phone.view("later") == ["n": 2])
    }
}
