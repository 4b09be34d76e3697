import CoreSupport
import Foundation
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting
import TidemarkWire

/// A server on a file that can be copied and restored, as an operator does with a backup.
final class RestorableServer {
    let clock = ManualClock()
    private let folder: TemporaryFolder
    /// Nil while the server is stopped, which closes the file.
    private var core: ServerCore?

    init() throws {
        self.folder = try TemporaryFolder()
        self.core = try Self.start(in: self.folder, self.clock)
    }

    deinit { self.core = nil }

    /// Copies the file while the server is stopped.
    func backUp() throws {
        try self.replace("backup.db", by: "server.db")
    }

    /// Replaces the file by the copy: a rollback.
    func putBack() throws {
        try self.replace("server.db", by: "backup.db")
    }

    /// Deletes the file, and starts an empty server with a new epoch.
    func setUpAnew() throws {
        self.core = nil
        try self.remove("server.db")
        self.core = try Self.start(in: self.folder, self.clock)
    }

    /// Forgets deletions that are older than an age (W7).
    func purge(olderThan age: Duration) throws {
        _ = try self.core?.purge(olderThan: age)
    }

    func exchange(_ request: ExchangeRequest) throws(RemoteFailure) -> ExchangeAnswer {
        let wire = WireRequest(request)
        let headers = wire.headers.map { ($0.name, $0.value) }
        guard let core = self.core else { throw RemoteFailure(.offline, "it is stopped") }
        let response = core.handle(
            ServerRequest(method: wire.method, target: "/v1\(wire.target)", headers: headers, body: wire.body ?? []))
        return try WireAnswer.decode(
            status: response.status, header: { response.header($0) }, body: response.body, request: request)
    }

    /// The server's content of a record; nil if it was deleted or never existed.
    func content(_ pk: String) throws -> JSON? {
        let request = ServerRequest(method: "GET", target: "/v1/\(SyncScenario.collection)/\(pk)")
        guard let response = self.core?.handle(request) else { throw Trouble("the server is stopped") }
        return response.status == 200 ? try JSON(parsing: response.body)["data"] : nil
    }

    /// Carries one request of a device.
    func carryOne(_ device: Device) throws {
        let sent = device.outbox.removeFirst()
        self.clock.advance(by: .milliseconds(1))
        let answer: ExchangeAnswer
        do throws(RemoteFailure) {
            answer = try self.exchange(sent.request)
        } catch {
            return try device.fail(error, for: sent.token)
        }
        try device.receive(answer, for: sent.token)
    }

    /// Syncs the devices one after the other, each until it sends nothing more.
    func sync(_ devices: Device...) throws {
        for device in devices {
            try device.sync(SyncScenario.collection)
            var count = 0
            while !device.outbox.isEmpty {
                count += 1
                guard count < 100 else { throw Trouble("\(device.name) does not stop sending (I8)") }
                try self.carryOne(device)
            }
        }
    }

    private func replace(_ name: String, by other: String) throws {
        self.core = nil
        try self.remove(name)
        try FileManager.default.copyItem(atPath: self.folder.path(other), toPath: self.folder.path(name))
        self.core = try Self.start(in: self.folder, self.clock)
    }

    private func remove(_ name: String) throws {
        for suffix in ["", "-wal", "-shm"] {
            let file = name + suffix
            if self.folder.exists(file) { try FileManager.default.removeItem(atPath: self.folder.path(file)) }
        }
    }

    private static func start(in folder: TemporaryFolder, _ clock: ManualClock) throws -> ServerCore {
        ServerCore(
            storage: try SQLiteServerStorage(.file(folder.path("server.db"))), now: { clock.microseconds })
    }
}
