public import TidemarkCore
public import TidemarkJSON
public import TidemarkMachine
public import TidemarkRules
public import TidemarkServer

/// Devices and a server on one thread, about one collection; every message passes through the test's hand.
///
/// Nothing waits and nothing is left to chance, so a test says what happens in which order, and sees what comes of it: of
/// your own tactic, rules and policies as well.
///
/// ```swift
/// var configuration = SyncConfiguration()
/// configuration["notes"].tactic = .takeServer
/// let meeting = try Meeting(configuration: configuration)
/// try meeting.phone.create(["title": "Milk"], pk: "42")
/// try meeting.settle()
/// try meeting.phone.edit("42") { $0.title = "Oat milk" }
/// try meeting.tablet.edit("42") { $0.title = "Rice milk" }
/// try meeting.sync(meeting.phone)
/// try meeting.tablet.sync(Meeting.collection)
/// try meeting.loseAnswer(meeting.tablet)
/// try meeting.settle()
/// try meeting.expectAgreement(on: "42")
/// ```
public final class Meeting {
    /// The collection that every meeting is about.
    public static let collection = "notes"

    /// The server, with its clock.
    public let server: InProcessServer

    /// How devices reach it.
    public let remote: InProcessRemote

    /// The devices, in the order of their names.
    public var devices: [Device] = []

    /// Makes a server, and devices without any record.
    ///
    /// - Parameters:
    ///   - names: What the devices are called.
    ///   - configuration: What decides conflicts on each of them, and all limits.
    ///   - limits: What the server takes.
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

    /// Begins a sync and carries every message to its end.
    public func sync(_ device: Device) throws {
        try device.sync(Self.collection)
        try self.carry(device)
    }

    /// Carries what a device wants carried, and what it wants then, until it wants nothing.
    public func carry(_ device: Device) throws {
        var count = 0
        while !device.outbox.isEmpty {
            count += 1
            guard count < 100 else { throw MeetingTrouble("\(device.name) does not stop asking (I8)") }
            try self.carryOne(device)
        }
    }

    /// Carries the one message that a device wants carried next.
    public func carryOne(_ device: Device) throws {
        let sent = device.outbox.removeFirst()
        self.server.clock.advance(by: .milliseconds(1))
        try device.hear(self.remote, sent)
    }

    /// Lets the server take a request, and loses its answer.
    public func loseAnswer(_ device: Device) throws {
        let sent = device.outbox.removeFirst()
        _ = try? self.remote.exchangeNow(sent.request)
        try device.fail(RemoteFailure(.offline, "the answer was lost"), for: sent.token)
    }

    /// Syncs everyone until all are quiet.
    public func settle() throws {
        for _ in 0..<4 {
            for device in self.devices { try self.sync(device) }
        }
    }

    /// What the server has under a pk; nil when it is deleted or never was.
    public func onServer(_ pk: String) throws -> JSON? {
        let response = self.server.handle(ServerRequest(method: "GET", target: "/v1/\(Self.collection)/\(pk)"))
        guard response.status == 200 else { return nil }
        return try JSON(parsing: response.body)["data"]
    }
}

/// What a meeting finds wrong.
public struct MeetingTrouble: Error, CustomStringConvertible {
    /// What, and where.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Meeting {
    /// Checks that every device shows a record as the server has it, and that nothing of it is pending (I3).
    ///
    /// - Throws: ``MeetingTrouble``, which names the first device that differs.
    public func expectAgreement(on pk: String) throws {
        let server = try self.onServer(pk)
        for device in self.devices {
            let (phase, view) = (try device.phase(pk), try device.view(pk))
            guard phase == .synced || phase == .absent else {
                throw MeetingTrouble("“\(pk)” on \(device.name) is \(phase) (I3)")
            }
            guard view == server else {
                throw MeetingTrouble(
                    "“\(pk)” on \(device.name) is \(view?.text ?? "gone"), and on the server \(server?.text ?? "gone") (I3)"
                )
            }
        }
    }
}

extension Device {
    /// Carries a request to a server, and takes in what comes back.
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
            try engine.create(content, pk: pk, in: Meeting.collection).effects
        }
    }

    /// The app changes a record.
    public func edit(_ pk: String, _ change: (inout JSON) -> Void) throws {
        try self.run { (engine) throws(TidemarkError) in
            try engine.edit(pk, in: Meeting.collection) { view in
                var view = view
                change(&view)
                return view
            }.effects
        }
    }

    /// The app deletes a record.
    public func delete(_ pk: String) throws {
        try self.run { (engine) throws(TidemarkError) in try engine.delete(pk, in: Meeting.collection).effects }
    }

    /// A record as it is now; nil when there is none.
    public func snapshot(_ pk: String) throws -> RecordSnapshot? {
        try self.engine.snapshot(of: pk, in: Meeting.collection)
    }

    /// What the app sees of a record; nil when it sees none.
    public func view(_ pk: String) throws -> JSON? {
        try self.snapshot(pk)?.content
    }

    /// Where a record stands.
    public func phase(_ pk: String) throws -> RecordPhase {
        try self.snapshot(pk)?.phase ?? .absent
    }

    /// What lost, from the oldest to the newest.
    public func journal() throws -> [JournalEntry] {
        try self.engine.journal(of: nil, in: Meeting.collection)
    }

    /// What happened to a record so far.
    public func events(_ pk: String) -> [RecordEvent] {
        self.traces.filter { $0.pk == pk }.map(\.event)
    }
}
