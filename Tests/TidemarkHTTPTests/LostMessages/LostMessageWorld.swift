import TidemarkCore
import TidemarkHTTP
import TidemarkJSON
import TidemarkListener
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting

/// A server and two devices: the phone uses HTTP and loses a message, and the tablet is in the process of the server.
final class LostMessageWorld {
    /// A client and the remote that carries its messages.
    final class Device {
        let name: String
        let client: SyncClient
        let loser: MessageLoser

        var notes: SyncCollection<JSON> { self.client["notes"] }

        fileprivate init(_ name: String, _ remote: some Remote, seed: UInt64) throws {
            var configuration = SyncConfiguration()
            configuration.limits.pageSize = LostMessageWorld.pageSize
            configuration["notes"].fields = try FieldRules([("/count", .sum)])
            self.name = name
            self.loser = MessageLoser(remote)
            self.client = try SyncClient(
                store: MemoryStore(), remote: self.loser, configuration: configuration, collections: ["notes", "tags"],
                time: ManualClock(), seed: seed)
        }
    }

    static let token = "right"

    /// Six changed records are three pages.
    private static let pageSize = 2

    /// The size of the records in the message.
    let size: Int

    /// The records that have that size; the others are small.
    let large: Set<String>

    private(set) var server: InProcessServer
    private(set) var ledger = WriteLedger()
    let phone: Device
    let tablet: Device
    private var listener: HTTPListener
    private let limits: ServerLimits

    /// The URL at which the server listens.
    var url: String { "http://127.0.0.1:\(self.listener.port)/v1" }

    init(size: Int, large: Set<String>, limits: ServerLimits) throws {
        let server = try InProcessServer(tokens: [Self.token], limits: limits)
        let listener = try HTTPListener(server.core)
        let url = "http://127.0.0.1:\(listener.port)/v1"
        self.size = size
        self.large = large
        self.limits = limits
        self.server = server
        self.listener = listener
        self.phone = try Device("phone", try HTTPRemote(url: url, token: Self.token), seed: 1)
        self.tablet = try Device("tablet", InProcessRemote(server, token: Self.token), seed: 2)
    }

    deinit { self.listener.stop() }

    // MARK: - The apps' actions

    /// A record of a writer: the values have two bytes, or the size of the record.
    static func record(_ writer: String, _ pk: String, size: Int, count: JSON = 0) -> JSON {
        let pad = writer.uppercased() + pk + String(repeating: "x", count: max(0, size - 60))
        return [
            "title": .string(JSONString(writer.uppercased() + pk)), "body": .string(JSONString(writer + pk)),
            "pad": .string(JSONString(pad)), "count": count,
        ]
    }

    func size(of pk: String) -> Int { self.large.contains(pk) ? self.size : 100 }

    func create(_ pk: String, on device: Device, by writer: String, count: JSON = 0) async throws {
        let record = Self.record(writer, pk, size: self.size(of: pk), count: count)
        self.ledger.note(record, over: nil, of: pk)
        try await device.notes.create(record, pk: pk)
    }

    /// Sets members, and adds one to the counter if asked to.
    func edit(_ pk: String, on device: Device, setting members: JSON, counting: Bool = false) async throws {
        let view = try await device.notes[pk].get()
        self.ledger.note(members, over: view, of: pk)
        let changes = members.object ?? [:]
        try await device.notes[pk].edit { (record) throws(TidemarkError) in
            for (name, value) in changes { record[name] = value }
            if counting { record.count = JSON((record.count?.int ?? 0) + 1) }
        }
    }

    /// Sets the title to one that names its writer, and counts.
    func editTitle(_ pk: String, on device: Device, by writer: String) async throws {
        let title = JSON.string(JSONString(writer.uppercased() + pk))
        try await self.edit(pk, on: device, setting: ["title": title], counting: true)
    }

    func delete(_ pk: String, on device: Device) async throws {
        self.ledger.noteDelete(over: try await device.notes[pk].get(), of: pk)
        try await device.notes[pk].delete()
    }

    // MARK: - The server's actions

    /// Forgets all deletions, so that a cursor before them is refused with 410.
    func purge() throws {
        self.server.clock.advance(by: .seconds(1))
        try self.server.purge(olderThan: .zero)
    }

    /// Restores the server from a backup.
    func restore(_ backup: InProcessServer.Backup) throws {
        self.listener.stop()
        self.server = try InProcessServer(
            backup, clock: self.server.clock, tokens: [Self.token], limits: self.limits, run: "run-2")
        self.listener = try HTTPListener(self.server.core)
        self.tablet.loser.use(InProcessRemote(self.server, token: Self.token))
        try self.usePhone(token: Self.token)
    }

    /// Gives the phone other credentials, and does not tell its client.
    func usePhone(token: String) throws {
        self.phone.loser.use(try HTTPRemote(url: self.url, token: token))
    }

    // MARK: - Syncing

    /// Syncs a device, whose app renews the credentials if the server refuses them.
    @discardableResult
    func sync(_ device: Device) async throws -> CollectionReport {
        var report = try await device.client.sync(["notes"]).collections[0]
        if report.outcome == .unauthorized {
            try self.usePhone(token: Self.token)
            try await device.client.renew(remote: device.loser)
            report = try await device.client.sync(["notes"]).collections[0]
        }
        return report
    }

    /// Syncs both devices until nothing changes; false if that does not end.
    func settle() async throws -> Bool {
        for _ in 0..<8 {
            var isQuiet = true
            for device in [self.phone, self.tablet] {
                let report = try await self.sync(device)
                let isAtRest = report.outcome == .inSync || report.outcome == .held
                if !isAtRest || !report.pushed.isEmpty || report.pulled > 0 || !report.merged.isEmpty {
                    isQuiet = false
                }
            }
            if isQuiet { return true }
        }
        return false
    }
}
