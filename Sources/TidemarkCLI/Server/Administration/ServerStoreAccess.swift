import Foundation
import Tidemark
import TidemarkListener
import TidemarkServer

/// Sends a request to the server that runs on a store, or carries it out on the store if no server runs.
struct ServerStoreAccess {
    /// The option of every such command.
    static let store = Option(
        name: "--store", value: "FILE",
        summary: "the server's file, or postgresql://USER@HOST/NAME; the server can be running", isRequired: true,
        kind: .store)

    let path: String

    /// The text for messages, without a password.
    var shown: String { (try? ServerStore(self.path))?.description ?? self.path }

    init(_ input: Arguments) throws(UsageError) {
        self.path = try input.required(Self.store)
    }

    /// Carries out a request.
    ///
    /// - Parameter mayMake: Whether a missing store is created.
    /// - Returns: The reply.
    /// - Throws: ``CommandFailure`` with the server's message if the request failed.
    func ask(_ request: AdministrationRequest, mayMake: Bool = false) throws -> JSON {
        do throws(ServerStorageError) {
            try request.checkNames()
        } catch {
            throw CommandFailure(error.message)
        }
        let use = ServerStorageUse.administration(mayMake: mayMake)
        if case .postgres = try ServerStore(self.path) { return try self.checked(self.askTheDatabase(request, use)) }
        let file = StoreFile(self.path)
        if let complaint = file.complaint { throw CommandFailure(complaint) }
        guard mayMake || (file.kind != .missing && !file.isEmpty) else {
            throw CommandFailure(
                "There is no server's store at \(self.path). Check the name. tidemark serve and tidemark account add create "
                    + "a store")
        }
        return try self.checked(self.askTheServer(request) ?? self.askTheFile(request, use))
    }

    private func checked(_ reply: JSON) throws -> JSON {
        guard let error = reply["error"]?.string else { return reply }
        throw CommandFailure("\(self.shown): \(error)")
    }

    /// Changes the database; the servers that run on it notice the change.
    private func askTheDatabase(_ request: AdministrationRequest, _ use: ServerStorageUse) throws -> JSON {
        var limits = ServerLimits()
        limits.readers = 0
        let storage = try ServerStore(self.path).open(for: use)
        return request.reply(of: ServerCore(storage: storage, limits: limits, now: WallClock.microseconds))
    }

    private func askTheServer(_ request: AdministrationRequest) throws(CommandFailure) -> JSON? {
        do throws(ListenerError) {
            return try ControlConnection.ask(beside: self.path, request)
        } catch {
            throw CommandFailure(error.message)
        }
    }

    private func askTheFile(
        _ request: AdministrationRequest, _ use: ServerStorageUse
    ) throws(CommandFailure) -> JSON {
        try PrivateFile.tighten(store: self.path)
        do throws(ServerStorageError) {
            let storage = try SQLiteServerStorage(.file(self.path), for: use)
            return request.reply(of: ServerCore(storage: storage, now: WallClock.microseconds))
        } catch {
            guard error.code == .busy else { throw CommandFailure(error.message) }
            throw CommandFailure(
                "\(error.message) If a server uses it, that server has no control socket at \(self.path)-control.")
        }
    }
}

extension Date {
    /// A time of the server's clock, in microseconds since 1970, as text.
    static func shown(microseconds: Int) -> String {
        Date(timeIntervalSince1970: TimeInterval(microseconds) / 1_000_000).formatted(.iso8601)
    }
}
