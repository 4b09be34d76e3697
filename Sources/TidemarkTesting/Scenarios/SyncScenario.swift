public import TidemarkCore
public import TidemarkJSON
public import TidemarkMachine
public import TidemarkRules
public import TidemarkServer

/// Devices and a server on one thread, with one collection; the test delivers every message.
///
/// Nothing waits and nothing is random, so a test determines the order of events and sees their result, including that of your
/// own tactics, rules and policies.
///
/// ```swift
/// var configuration = SyncConfiguration()
/// configuration["notes"].tactic = .takeServer
/// let scenario = try SyncScenario(configuration: configuration)
/// try scenario.phone.create(["title": "Milk"], pk: "42")
/// try scenario.settle()
/// try scenario.phone.edit("42") { $0.title = "Oat milk" }
/// try scenario.tablet.edit("42") { $0.title = "Rice milk" }
/// try scenario.sync(scenario.phone)
/// try scenario.tablet.sync(SyncScenario.collection)
/// try scenario.loseAnswer(scenario.tablet)
/// try scenario.settle()
/// try scenario.expectAgreement(on: "42")
/// ```
public final class SyncScenario {
    /// The collection of every scenario.
    public static let collection = "notes"

    /// The server, with its clock.
    public let server: InProcessServer

    /// The connection of the devices to the server.
    public let remote: InProcessRemote

    /// The devices, in the order of their names.
    public var devices: [Device] = []

    /// Makes a server, and devices without any record.
    ///
    /// - Parameters:
    ///   - names: The names of the devices.
    ///   - configuration: The rules for conflicts on each of them, and all limits.
    ///   - limits: The server's limits.
    public init(
        devices names: [String] = ["phone", "tablet"], configuration: SyncConfiguration = SyncConfiguration(),
        limits: ServerLimits = ServerLimits()
    ) throws {
        self.server = try InProcessServer(limits: limits)
        self.remote = InProcessRemote(self.server)
        for (index, name) in names.enumerated() {
            self.devices.append(
                try Device(name, seed: UInt64(index + 1), clock: self.server.clock, configuration: configuration))
        }
    }

    /// The first device.
    public var phone: Device { self.devices[0] }

    /// The second device.
    public var tablet: Device { self.devices[1] }

    /// Begins a sync and delivers every message until it ends.
    public func sync(_ device: Device) throws {
        try device.sync(Self.collection)
        try self.carry(device)
    }

    /// Delivers a device's requests, including later ones, until there are none.
    public func carry(_ device: Device) throws {
        var count = 0
        while !device.outbox.isEmpty {
            count += 1
            guard count < 100 else { throw ScenarioFailure("\(device.name) does not stop sending requests (I8)") }
            try self.carryOne(device)
        }
    }

    /// Delivers the next request of a device.
    public func carryOne(_ device: Device) throws {
        let sent = device.outbox.removeFirst()
        self.server.clock.advance(by: .milliseconds(1))
        try device.hear(self.remote, sent)
    }

    /// Delivers the next request of a device to the server, and loses its answer.
    public func loseAnswer(_ device: Device) throws {
        let sent = device.outbox.removeFirst()
        _ = try? self.remote.exchangeNow(sent.request)
        try device.fail(RemoteFailure(.offline, "the answer was lost"), for: sent.token)
    }

    /// Syncs all devices until none has changes to send or to read.
    public func settle() throws {
        for _ in 0..<4 {
            for device in self.devices { try self.sync(device) }
        }
    }

    /// The server's record; nil if it is deleted or never existed.
    public func onServer(_ pk: String) throws -> JSON? {
        let response = self.server.handle(ServerRequest(method: "GET", target: "/v1/\(Self.collection)/\(pk)"))
        guard response.status == 200 else { return nil }
        return try JSON(parsing: response.body)["data"]
    }
}

/// A disagreement that a scenario found.
public struct ScenarioFailure: Error, CustomStringConvertible {
    /// The record and the difference.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension SyncScenario {
    /// Checks that every device shows the server's version of a record, without a pending change (I3).
    ///
    /// - Throws: ``ScenarioFailure``, which names the first device that differs.
    public func expectAgreement(on pk: String) throws {
        let server = try self.onServer(pk)
        for device in self.devices {
            let (phase, view) = (try device.phase(pk), try device.view(pk))
            guard phase == .synced || phase == .absent else {
                throw ScenarioFailure("“\(pk)” on \(device.name) is \(phase) (I3)")
            }
            guard view == server else {
                throw ScenarioFailure(
                    "“\(pk)” on \(device.name) is \(view?.text ?? "gone"), and on the server \(server?.text ?? "gone") (I3)"
                )
            }
        }
    }
}

extension Device {
    /// Delivers a request to a server, and its answer to the device.
    public func hear(_ remote: InProcessRemote, _ sent: Outgoing) throws(TidemarkError) {
        let answer: ExchangeAnswer
        do throws(RemoteFailure) {
            answer = try remote.exchangeNow(sent.request)
        } catch {
            return try self.fail(error, for: sent.token)
        }
        try self.receive(answer, for: sent.token)
    }

    /// The app makes a record.
    public func create(_ content: JSON, pk: String) throws {
        try self.run { (engine) throws(TidemarkError) in
            try engine.create(content, pk: pk, in: SyncScenario.collection).effects
        }
    }

    /// The app changes a record.
    public func edit(_ pk: String, _ change: (inout JSON) -> Void) throws {
        try self.run { (engine) throws(TidemarkError) in
            try engine.edit(pk, in: SyncScenario.collection) { view in
                var view = view
                change(&view)
                return view
            }.effects
        }
    }

    /// The app deletes a record.
    public func delete(_ pk: String) throws {
        try self.run { (engine) throws(TidemarkError) in try engine.delete(pk, in: SyncScenario.collection).effects }
    }

    /// A record in its current state; nil if it does not exist.
    public func snapshot(_ pk: String) throws -> RecordSnapshot? {
        try self.engine.snapshot(of: pk, in: SyncScenario.collection)
    }

    /// The app's view of a record; nil if the app sees none.
    public func view(_ pk: String) throws -> JSON? {
        try self.snapshot(pk)?.content
    }

    /// The phase of a record.
    public func phase(_ pk: String) throws -> RecordPhase {
        try self.snapshot(pk)?.phase ?? .absent
    }

    /// The discarded values, from the oldest to the newest.
    public func journal() throws -> [JournalEntry] {
        try self.engine.journal(of: nil, in: SyncScenario.collection)
    }

    /// The events of a record so far.
    public func events(_ pk: String) -> [RecordEvent] {
        self.traces.filter { $0.pk == pk }.map(\.event)
    }
}
