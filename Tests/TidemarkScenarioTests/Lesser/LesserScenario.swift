import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting

/// Two devices and a server with quirks, on one thread, with the collection of notes.
final class LesserScenario {
    let server: LesserServer
    let clock = ManualClock()
    let phone: Device
    let tablet: Device

    init(
        _ quirks: LesserServer.Quirks = LesserServer.Quirks(), as declared: RemoteCapabilities? = nil,
        configuration: SyncConfiguration = SyncConfiguration()
    ) throws {
        self.server = LesserServer(quirks)
        let capabilities = try declared ?? self.server.capabilities
        self.phone = try Device(
            "phone", seed: 1, clock: self.clock, configuration: configuration, capabilities: capabilities)
        self.tablet = try Device(
            "tablet", seed: 2, clock: self.clock, configuration: configuration, capabilities: capabilities)
    }

    /// Begins a sync and carries every message to its end.
    func sync(_ device: Device) throws {
        try device.sync(SyncScenario.collection)
        try self.carry(device)
    }

    func carry(_ device: Device) throws {
        var count = 0
        while !device.outbox.isEmpty {
            count += 1
            guard count < 100 else { throw Trouble("\(device.name) does not stop sending (I8)") }
            try self.carryOne(device)
        }
    }

    /// - Parameter between: Called after the server has checked the request, and before it writes.
    func carryOne(_ device: Device, between: () throws -> Void = {}) throws {
        let sent = device.outbox.removeFirst()
        self.clock.advance(by: .milliseconds(1))
        try device.receive(try self.server.exchange(sent.request, between: between), for: sent.token)
    }

    /// Lets the server process a request, and loses its answer.
    func loseAnswer(_ device: Device) throws {
        let sent = device.outbox.removeFirst()
        _ = try self.server.exchange(sent.request)
        try device.fail(RemoteFailure(.offline, "the answer was lost"), for: sent.token)
    }

    /// Syncs both devices until nothing is left to send.
    func settle() throws {
        for _ in 0..<4 {
            try self.sync(self.phone)
            try self.sync(self.tablet)
        }
    }
}
