import RemoteExamples
import Synchronization
import TestSupport
import Testing
import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkTesting

/// Four devices edit two shared records, each its own member, ten times, and sync at the same time.
@Suite struct `A shop without conditions under contention` {
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `a read and a PATCH of the changed members lose no edit`(seed: UInt64) async throws {
        let contention = Contention(seed: seed)
        let lost = try await contention.run { ShopServer(checks: false, send: $0) }
        #expect(lost == 0)
        #expect(contention.overtaken > 0, "No device wrote between the read and the write of another one.")
    }

    @Test func `a PUT without a read loses edits`() async throws {
        #expect(
            try await Contention(seed: 1).run { BlindShop(shop: ShopServer(checks: false, send: $0), send: $0) } > 0)
    }
}

/// A shop to which every edit is sent as a whole record, and that is declared to compare the version, though it does not.
private struct BlindShop: RowServer {
    let shop: ShopServer
    let send: Send

    var capabilities: RemoteCapabilities {
        .rows(condition: .atomic, serverMembers: self.shop.capabilities.serverMembers, feed: .late(.seconds(5)))
    }
    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        try await self.shop.changes(in: collection, after: cursor, limit: limit)
    }
    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        let answer = try await self.send(
            HTTPRequest("PUT", "/\(collection)/\(edit.pk.pathSegment)", body: try edit.record()?.bytes))
        return try RowShape(pk: "id", version: "updated_at").answer(answer, to: edit)
    }
    func row(_ pk: String, in collection: String) async throws -> ServerRow? {
        try await self.shop.row(pk, in: collection)
    }
}

/// The devices, and a network that lets their requests overtake each other.
private final class Contention: Sendable {
    private let shop = FakeShop(checks: false)
    private let generator: Mutex<SeededGenerator>
    private let overtakes = Mutex(0)

    init(seed: UInt64) {
        self.generator = Mutex(SeededGenerator(seed: seed))
    }

    /// How often another device wrote between the read and the write of a device.
    var overtaken: Int { self.overtakes.withLock { $0 } }

    /// Returns how many of the eight last edits are not on the server.
    func run<Server: RowServer>(_ server: (@escaping Send) -> Server) async throws -> Int {
        let devices = try (0..<4).map { device in
            try SyncClient(
                store: MemoryStore(), remote: RowRemote(server(self.send())),
                configuration: SyncConfiguration(accepts: [.noLostUpdates]),
                collections: ["notes"], time: ManualClock(), seed: UInt64(device))
        }
        for pk in ["1", "2"] { try await devices[0]["notes"].create(["title": "shared"], pk: pk) }
        for device in devices { _ = try await device.sync() }
        for round in 1...10 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (name, device) in devices.enumerated() {
                    group.addTask {
                        for pk in ["1", "2"] {
                            try await device["notes"][pk].edit { $0["device \(name)"] = .number(JSONNumber(round)) }
                        }
                        _ = try await device.sync()
                    }
                }
                try await group.waitForAll()
            }
        }
        for device in devices + devices { #expect(try await device.sync().outcome == .inSync) }
        let rows = self.shop.rows(in: "notes")
        for device in devices {
            for pk in ["1", "2"] { #expect(try await device["notes"][pk].get() == rows[pk]) }
        }
        return rows.values.reduce(0) { lost, row in
            lost + (0..<4).count { row["device \($0)"] != 10 }
        }
    }

    /// Makes the network of a device.
    private func send() -> Send {
        let seen = Mutex<[String: JSON]>([:])
        return { request in
            for _ in 0..<self.generator.withLock({ Int.random(in: 0..<20, using: &$0) }) { await Task.yield() }
            let pk = String(request.target.split(separator: "/").last ?? "")
            if request.method == "PATCH", let version = seen.withLock({ $0[pk] }),
                version != self.shop.rows(in: "notes")[pk]?["updated_at"]
            {
                self.overtakes.withLock { $0 += 1 }
            }
            let answer = self.shop.answer(request)
            if let version = (try? JSON(parsing: answer.body))?["updated_at"] { seen.withLock { $0[pk] = version } }
            return answer
        }
    }
}
