import CSystem
import Dispatch
import Synchronization
public import TidemarkJSON
public import TidemarkServer

/// Accepts a running server's administration requests (`AdministrationRequest`): a socket in the folder of its file,
/// which only the file's owner may use.
///
/// The client sends one line of JSON. The server replies with an empty line when it begins, and with a line of JSON when it is
/// done; then it closes the connection. Clients do not wait for each other, except backups, of which one is made at a time.
public final class ControlSocket {
    /// The largest request, in bytes.
    public static let requestLimit = 64 << 10
    /// How many seconds a client may take for its whole request.
    static let timeout: Int32 = 5
    /// How many seconds a client may take to read its whole reply.
    static let replyTimeout: Int32 = 60
    /// The most clients that send their requests at a time; one more replaces the one that has waited longest.
    static let clients = 16

    private let path: String
    private let source: any DispatchSourceRead
    private let senders = ControlSenders(limit: ControlSocket.clients)

    /// Listens in the folder of a store's file; the socket of a killed server is replaced.
    ///
    /// - Parameters:
    ///   - store: The path of the server's file, which this process has open.
    ///   - core: The server that carries the requests out.
    /// - Throws: `ListenerError` if the socket can't be made.
    public init(beside store: String, core: ServerCore) throws(ListenerError) {
        let path = Self.path(beside: store)
        let descriptor = unsafe tidemark_listen_at(path)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(tidemark_errno()))
            throw ListenerError(
                .failed,
                "\(path): \(reason); without it the running server can't manage accounts, tokens and backups")
        }
        self.path = path
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "tidemark control"))
        // The code that stops the server closes its file: then the socket must not hold the core.
        let (senders, backups) = (self.senders, DispatchQueue(label: "tidemark control backups"))
        source.setEventHandler { [weak core] in
            let asking = tidemark_accept_local(descriptor, Self.timeout)
            guard asking >= 0 else { return }
            senders.add(asking)
            // A queue for each client: one that sends nothing delays no other.
            DispatchQueue(label: "tidemark control client").async { [weak core] in
                let request = Self.request(from: asking)
                senders.remove(asking)
                if case .success(let known?) = request, known.isLong {
                    backups.async { [weak core] in Self.finish(asking, request, core) }
                } else {
                    Self.finish(asking, request, core)
                }
            }
        }
        source.setCancelHandler { tidemark_close(descriptor) }
        source.resume()
        self.source = source
    }

    deinit { self.source.cancel() }

    /// Removes the socket; no client can connect any more.
    public func stop() {
        self.source.cancel()
        _ = unsafe unlink(self.path)
    }

    static func path(beside store: String) -> String { "\(store)-control" }

    /// Reads a request; nil if this version does not understand it.
    private static func request(from asking: CInt) -> Result<AdministrationRequest?, ControlLine.Trouble> {
        do throws(ControlLine.Trouble) {
            let line = try ControlLine.read(from: asking, limit: Self.requestLimit, within: Self.timeout)
            return .success((try? JSON(parsing: line)).flatMap { AdministrationRequest($0) })
        } catch {
            return .failure(error)
        }
    }

    /// Carries a request out, replies, and closes the connection.
    private static func finish(
        _ asking: CInt, _ request: Result<AdministrationRequest?, ControlLine.Trouble>, _ core: ServerCore?
    ) {
        defer { tidemark_close(asking) }
        guard let core else { return }
        do throws(ControlLine.Trouble) {
            let reply: JSON
            switch request {
            case .success(let request):
                // A client that disconnected meanwhile was told that nothing was done. This write then fails, so that stays
                // true.
                try ControlLine.write([], to: asking, within: Self.timeout)
                reply =
                    request?.reply(of: core) ?? ["error": "this version of the server does not understand the request"]
            case .failure(.tooLong):
                try ControlLine.write([], to: asking, within: Self.timeout)
                let reason = "the request has more than \(Self.requestLimit) bytes, which is the limit"
                reply = ["error": .string(JSONString(reason))]
            case .failure: return
            }
            try ControlLine.write(reply.bytes, to: asking, within: Self.replyTimeout)
        } catch {
            return
        }
    }
}

/// The connections whose requests have not arrived yet.
private final class ControlSenders: Sendable {
    private let descriptors = Mutex<[CInt]>([])
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Adds a connection; if there are too many, the oldest one is ended.
    func add(_ descriptor: CInt) {
        self.descriptors.withLock { descriptors in
            if descriptors.count >= self.limit { _ = tidemark_shut_down(descriptors.removeFirst()) }
            descriptors.append(descriptor)
        }
    }

    /// Removes a connection, before it is closed: its number may belong to another one afterwards.
    func remove(_ descriptor: CInt) {
        self.descriptors.withLock { $0.removeAll { $0 == descriptor } }
    }
}

/// Sends requests to a running server (``ControlSocket``).
public enum ControlConnection {
    /// The largest reply, in bytes.
    static let replyLimit = 64 << 20
    /// How many seconds the client waits until the server begins the request, after those of others.
    static let timeout: Int32 = 15
    /// How many seconds the client waits for the result: a copy of a large store takes long.
    static let patienceForReply: Int32 = 3_600

    /// Returns the reply of a store's server; nil if no server listens there.
    ///
    /// - Throws: `ListenerError` if a server listens and does not reply.
    public static func ask(
        beside store: String, _ request: AdministrationRequest
    ) throws(ListenerError) -> JSON? {
        try self.ask(beside: store, request, timeout: Self.timeout)
    }

    /// - Parameter timeout: How many seconds the client waits until the server begins the request.
    package static func ask(
        beside store: String, _ request: AdministrationRequest, timeout: Int32
    ) throws(ListenerError) -> JSON? {
        let path = ControlSocket.path(beside: store)
        let line = request.json.bytes
        guard line.count <= ControlSocket.requestLimit else {
            throw ListenerError(
                .failed,
                "the request has \(line.count) bytes, and \(ControlSocket.requestLimit) are allowed; shorten its names")
        }
        let descriptor = unsafe tidemark_connect_to(path, timeout)
        guard descriptor >= 0 else {
            let number = tidemark_errno()
            guard number != EAGAIN else { throw Self.standsStill(path) }
            guard number == EACCES || number == EPERM else { return nil }
            throw ListenerError(.notAllowed, "\(path): only the server's user may do that; become that user")
        }
        defer { tidemark_close(descriptor) }
        // The request may contain tokens: only the store's owner may read them.
        guard unsafe tidemark_is_owners_or_roots(descriptor, store) != 0 else {
            throw ListenerError(
                .notAllowed,
                """
                \(path): the process that listens there belongs neither to the owner of the store nor to root; nothing was sent to \
                it. Check which process it is.
                """
            )
        }
        do throws(ControlLine.Trouble) {
            try ControlLine.write(line, to: descriptor, within: timeout)
            _ = try ControlLine.read(from: descriptor, limit: 0, within: timeout)
        } catch {
            throw error == .silence ? Self.standsStill(path) : Self.hungUp(path)
        }
        tidemark_be_patient(descriptor, Self.patienceForReply)
        guard
            let line = try? ControlLine.read(
                from: descriptor, limit: Self.replyLimit, within: Self.patienceForReply),
            let reply = try? JSON(parsing: line)
        else { throw Self.hungUp(path) }
        return reply
    }

    private static func standsStill(_ path: String) -> ListenerError {
        ListenerError(
            .failed,
            "\(path): the server accepts no request: it hangs, or it works on another request; nothing was done, try again"
        )
    }

    private static func hungUp(_ path: String) -> ListenerError {
        ListenerError(.failed, "\(path): the server closed the connection without a reply; look at its messages")
    }
}

/// Reads and writes a line over a socket.
private enum ControlLine {
    /// Why the line could not be read or written.
    enum Trouble: Error {
        /// The other side took longer than the time limit, or was silent for so long.
        case silence
        /// The other side closed the connection.
        case end
        /// The line is longer than the limit.
        case tooLong

        /// The failure of the last call: a timeout, or the end.
        init(_ count: Int) {
            self = count < 0 && tidemark_errno() == EAGAIN ? .silence : .end
        }
    }

    /// Reads up to the end of the line; of a line that is too long the rest is dropped, so that the other side can send it and
    /// gets a reply. Bytes after the line may be lost, unless the limit is 0.
    ///
    /// - Parameter seconds: The time for the whole line; the last call may add the time limit of the socket to it.
    static func read(from descriptor: CInt, limit: Int, within seconds: Int32) throws(Trouble) -> [UInt8] {
        let deadline = ContinuousClock.now + .seconds(Int64(seconds))
        var line: [UInt8] = []
        var isTooLong = false
        var part = [UInt8](repeating: 0, count: min(limit + 1, 4_096))
        while ContinuousClock.now < deadline {
            let count = unsafe part.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { throw Trouble(count) }
            let end = part[..<count].firstIndex(of: UInt8(ascii: "\n"))
            if !isTooLong { line += part[..<(end ?? count)] }
            isTooLong = line.count > limit
            guard end == nil else {
                guard !isTooLong else { throw .tooLong }
                return line
            }
        }
        throw .silence
    }

    /// - Parameter seconds: The time for the whole line; the last call may add the time limit of the socket to it.
    static func write(_ bytes: [UInt8], to descriptor: CInt, within seconds: Int32) throws(Trouble) {
        let deadline = ContinuousClock.now + .seconds(Int64(seconds))
        var rest = bytes[...] + [UInt8(ascii: "\n")]
        while !rest.isEmpty {
            guard ContinuousClock.now < deadline else { throw .silence }
            let count = unsafe rest.withUnsafeBytes { unsafe tidemark_send(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Trouble(count) }
            rest.removeFirst(count)
        }
    }
}
