import CSystem
import Dispatch
public import TidemarkJSON
public import TidemarkServer

/// Accepts a running server's administration requests (`AdministrationRequest`): a socket in the folder of its file,
/// which only the file's owner may use.
///
/// The client sends one line of JSON. The server replies with an empty line when it begins, and with a line of JSON when it is
/// done; then it closes the connection. It serves one client after the other.
public final class ControlSocket {
    /// The largest request, in bytes.
    public static let requestLimit = 64 << 10
    /// How many seconds a client may be silent.
    static let timeout: Int32 = 5

    private let path: String
    private let source: any DispatchSourceRead

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
        source.setEventHandler { [weak core] in
            let asking = tidemark_accept_local(descriptor, Self.timeout)
            guard asking >= 0 else { return }
            if let core { Self.serve(asking, core) }
            tidemark_close(asking)
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

    private static func serve(_ asking: CInt, _ core: ServerCore) {
        do throws(ControlLine.Trouble) {
            let line = try ControlLine.read(from: asking, limit: Self.requestLimit)
            // A client that disconnected meanwhile was told that nothing was done. This write then fails, so that stays true.
            try ControlLine.write([], to: asking)
            let request = (try? JSON(parsing: line)).flatMap { AdministrationRequest($0) }
            let reply =
                request?.reply(of: core) ?? ["error": "this version of the server does not understand the request"]
            try ControlLine.write(reply.bytes, to: asking)
        } catch {
            return
        }
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
            try ControlLine.write(request.json.bytes, to: descriptor)
            _ = try ControlLine.read(from: descriptor, limit: 0)
        } catch {
            throw error == .silence ? Self.standsStill(path) : Self.hungUp(path)
        }
        tidemark_be_patient(descriptor, Self.patienceForReply)
        guard let line = try? ControlLine.read(from: descriptor, limit: Self.replyLimit),
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
        /// The other side neither read nor sent a byte for the time limit.
        case silence
        /// The other side closed the connection, or sent a line that is too long.
        case end

        /// The failure of the last call: a timeout, or the end.
        init(_ count: Int) {
            self = count < 0 && tidemark_errno() == EAGAIN ? .silence : .end
        }
    }

    /// Reads up to the end of the line. Bytes after it may be lost, unless the limit is 0.
    static func read(from descriptor: CInt, limit: Int) throws(Trouble) -> [UInt8] {
        var line: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(limit + 1, 4_096))
        while line.count <= limit {
            let count = unsafe part.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { throw Trouble(count) }
            if let end = part[..<count].firstIndex(of: UInt8(ascii: "\n")) { return line + part[..<end] }
            line += part[..<count]
        }
        throw .end
    }

    static func write(_ bytes: [UInt8], to descriptor: CInt) throws(Trouble) {
        var rest = bytes[...] + [UInt8(ascii: "\n")]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe tidemark_send(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Trouble(count) }
            rest.removeFirst(count)
        }
    }
}
