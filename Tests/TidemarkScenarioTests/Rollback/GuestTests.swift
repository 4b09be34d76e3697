import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// A guest meets a server that was rolled back: what to do about it is a choice of the store's owner (Contract §13).
@Suite struct `A guest over a rolled-back server` {
    @Test(arguments: ServerRollbackPolicy.allCases, ServerRollbackPolicy.allCases)
    func `it applies nothing, and the owner's policy decides (R28)`(
        guest: ServerRollbackPolicy, owner: ServerRollbackPolicy
    ) throws {
        let (server, phone) = try Self.rollBack(owner)
        var configuration = SyncConfiguration(serverRolledBack: guest)
        configuration.isGuest = true
        let before = try phone.journal()
        try phone.restart(configuration: configuration)
        try server.sync(phone)
        #expect(try phone.view("42")?.price == 5)
        #expect(try phone.journal() == before)
        #expect(phone.reports.last?.lostByServer ?? 0 == 0)
        try Self.end(server, phone, owner)
        let (other, alone) = try Self.rollBack(owner)
        try Self.end(other, alone, owner)
        #expect(try phone.view("42") == alone.view("42"))
        #expect(try phone.journal().map(\.reason) == alone.journal().map(\.reason))
        #expect(phone.reports.last?.outcome == alone.reports.last?.outcome)
        #expect(phone.reports.last?.lostByServer == alone.reports.last?.lostByServer)
    }

    /// A server without the last edit of a device.
    private static func rollBack(_ policy: ServerRollbackPolicy) throws -> (RestorableServer, Device) {
        let server = try RestorableServer()
        let phone = try Device(
            "phone", seed: 1, clock: server.clock, configuration: SyncConfiguration(serverRolledBack: policy))
        try phone.create(["price": 1], pk: "42")
        try server.sync(phone)
        try server.backUp()
        try phone.edit("42") { $0.price = 5 }
        try server.sync(phone)
        try server.putBack()
        return (server, phone)
    }

    private static func end(
        _ server: RestorableServer, _ phone: Device, _ policy: ServerRollbackPolicy
    ) throws {
        try phone.restart(configuration: SyncConfiguration(serverRolledBack: policy))
        try server.sync(phone, phone)
    }
}
