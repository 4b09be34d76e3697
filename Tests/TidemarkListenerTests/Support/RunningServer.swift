import Foundation
import Synchronization
import Testing
import TestSupport
import TidemarkListener
import TidemarkServer

/// A server on a free port, stopped when the test ends.
final class RunningServer {
    let listener: HTTPListener
    let core: ServerCore

    init(
        _ location: SQLiteServerStorage.Location = .memory, tokens: [String] = [],
        limits: ServerLimits = ServerLimits(), clientTimeout: Duration = .seconds(20),
        slowestRate: Int = 1_024, connections: Int = 256, perAddress: Int = 256, heldBytes: Int? = nil,
        heldPerAccount: Int? = nil,
        heartbeat: Duration = .seconds(15), watchesPerAddress: Int? = nil,
        log: (@Sendable (AccessEntry) -> Void)? = nil,
        now: @escaping @Sendable () -> Int64 = { 1_000 }
    ) throws {
        let storage = try SQLiteServerStorage(location, epoch: { "e1" })
        self.core = ServerCore(
            storage: storage, accounts: ServerAccounts(tokens: tokens), limits: limits, now: now,
            report: { Issue.record("the storage failed: \($0)") })
        var settings = ListenerSettings(clientTimeout: clientTimeout)
        settings.slowestRate = slowestRate
        settings.connections = connections
        settings.heartbeat = heartbeat
        settings.connectionsPerAddress = perAddress
        if let watchesPerAddress { settings.watchesPerAddress = watchesPerAddress }
        if let heldBytes { settings.heldBytes = heldBytes }
        if let heldPerAccount { settings.heldBytesPerAccount = heldPerAccount }
        self.listener = try HTTPListener(self.core, settings: settings, log: log)
    }

    deinit {
        self.listener.stop()
    }

    func connect(receiveBuffer: CInt? = nil) throws -> SocketClient {
        try SocketClient(port: self.listener.port, receiveBuffer: receiveBuffer)
    }

    /// A client that waits for hints, and has received the first one.
    func watch(_ names: String = "notes", receiveBuffer: CInt? = nil) throws -> SocketClient {
        try self.watchAndHead(names, receiveBuffer: receiveBuffer).client
    }

    /// The same, and the head of the answer.
    func watchAndHead(
        _ names: String = "notes", receiveBuffer: CInt? = nil
    ) throws -> (client: SocketClient, head: String) {
        let client = try self.connect(receiveBuffer: receiveBuffer)
        client.send("GET /v1/?watch=\(names) HTTP/1.1\nHost: x\nAccept: text/event-stream\nAccept-Encoding: gzip\n\n")
        let head = try client.text(until: "\r\n\r\n")
        try #require(head.hasPrefix("HTTP/1.1 200"), "\(head)")
        try #require(head.lowercased().contains("content-type: text/event-stream"))
        try #require(!head.lowercased().contains("content-encoding"))
        _ = try client.text(until: "\n\n")
        return (client, head)
    }

    /// Sends one request on a separate connection.
    func answer(
        _ method: String, _ target: String, headers: String = "", body: [UInt8] = []
    ) throws -> SocketAnswer {
        let client = try self.connect()
        let length = body.isEmpty ? "" : "Content-Length: \(body.count)\n"
        client.send("\(method) \(target) HTTP/1.1\nHost: localhost\n\(length)\(headers)\n")
        client.send(body)
        return try client.answer(isToHead: method == "HEAD")
    }

    /// Waits until a condition of the server is true.
    func waits(at place: SourceLocation = #_sourceLocation, until isSo: () throws -> Bool) throws {
        try blockUntil("the server's condition", at: place, isSo) {
            "\(self.core.openWatches) watches, \(self.listener.openConnections) connections"
        }
    }

    /// Makes a record with this many bytes.
    func fill(_ pk: String, bytes: Int, token: String? = nil) throws {
        let body = Self.create(pk, bytes: bytes)
        let headers = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        let response = self.core.handle(
            ServerRequest(method: "POST", target: "/v1/notes", headers: headers, body: body))
        try #require(response.status == 200)
    }

    /// The body of a POST that creates a record.
    static func create(_ pk: String, bytes: Int = 1) -> [UInt8] {
        let text = String(repeating: "x", count: bytes)
        return Array(
            (#"{"edits":[{"request_id":"r-\#(pk)","pk":"\#(pk)","sync_state":"CREATED","#
                + #""edited_data":[{"op":"add","path":"","value":{"a":"\#(text)"}}]}]}"#).utf8)
    }
}

/// Blocks a thread in the middle of an answer until the test opens the gate.
final class Gate: Sendable {
    private let isOpen = Mutex(false)
    private let arrivals = Mutex(0)

    var hasArrival: Bool { self.arrivals.withLock { $0 > 0 } }

    func open() {
        self.isOpen.withLock { $0 = true }
    }

    func pass() {
        self.arrivals.withLock { $0 += 1 }
        blockUntil("the test opens the gate") { self.isOpen.withLock { $0 } }
    }

    func awaitArrival() {
        blockUntil("a thread reaches the gate") { self.hasArrival }
    }
}
