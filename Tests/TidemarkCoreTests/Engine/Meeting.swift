import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting

/// Devices and a server on one thread; every message passes through the test's hand.
final class Meeting {
    static let collection = "notes"

    let server: InProcessServer
    let remote: InProcessRemote
    var devices: [Device] = []

    init(
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

    var phone: Device { self.devices[0] }
    var tablet: Device { self.devices[1] }

    /// Begins a sync and carries every message to its end.
    func sync(_ device: Device) throws {
        try device.sync(Self.collection)
        try self.carry(device)
    }

    /// Carries what a device wants carried, and what it wants then, until it wants nothing.
    func carry(_ device: Device) throws {
        var count = 0
        while !device.outbox.isEmpty {
            count += 1
            guard count < 100 else { throw Trouble("\(device.name) does not stop asking (I8)") }
            try self.carryOne(device)
        }
    }

    func carryOne(_ device: Device) throws {
        let sent = device.outbox.removeFirst()
        self.server.clock.advance(by: .milliseconds(1))
        try device.hear(self.remote, sent)
    }

    /// Lets the server take a request, and loses its answer.
    func loseAnswer(_ device: Device) throws {
        let sent = device.outbox.removeFirst()
        _ = try? self.remote.exchangeNow(sent.request)
        try device.fail(RemoteFailure(.offline, "the answer was lost"), for: sent.token)
    }

    /// Syncs everyone until all are quiet.
    func settle() throws {
        for _ in 0..<4 {
            for device in self.devices { try self.sync(device) }
        }
    }

    /// What the server has under a pk; nil when it is deleted or never was.
    func onServer(_ pk: String) throws -> JSON? {
        let response = self.server.handle(ServerRequest(method: "GET", target: "/v1/\(Self.collection)/\(pk)"))
        guard response.status == 200 else { return nil }
        return try JSON(parsing: response.body)["data"]
    }
}

struct Trouble: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Device {
    /// Carries a request to a server, and takes in what comes back.
    func hear(_ remote: InProcessRemote, _ sent: Outgoing) throws(TidemarkError) {
        let answer: ExchangeAnswer
        do throws(RemoteFailure) {
            answer = try remote.exchangeNow(sent.request)
        } catch {
            return try self.fail(error, for: sent.token)
        }
        try self.receive(answer, for: sent.token)
    }

    func create(_ content: JSON, pk: String) throws {
        try self.run { (engine) throws(TidemarkError) in
            try engine.create(content, pk: pk, in: Meeting.collection).effects
        }
    }

    func edit(_ pk: String, _ change: (inout JSON) -> Void) throws {
        try self.run { (engine) throws(TidemarkError) in
            try engine.edit(pk, in: Meeting.collection) { view in
                var view = view
                change(&view)
                return view
            }.effects
        }
    }

    func delete(_ pk: String) throws {
        try self.run { (engine) throws(TidemarkError) in try engine.delete(pk, in: Meeting.collection).effects }
    }

    func snapshot(_ pk: String) throws -> RecordSnapshot? {
        try self.engine.snapshot(of: pk, in: Meeting.collection)
    }

    func view(_ pk: String) throws -> JSON? {
        try self.snapshot(pk)?.content
    }

    func phase(_ pk: String) throws -> Phase {
        try self.snapshot(pk)?.phase ?? .absent
    }

    func journal() throws -> [JournalEntry] {
        try self.engine.journal(of: nil, in: Meeting.collection)
    }

    func events(_ pk: String) -> [RecordEvent] {
        self.traces.filter { $0.pk == pk }.map(\.event)
    }
}
