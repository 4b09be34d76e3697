import CSystem
import Dispatch
public import TidemarkJSON
public import TidemarkServer

/// Where a running server takes what its administrator asks (`AdministrationRequest`): a socket beside its file, which the
/// file's owner alone may use.
///
/// One line of JSON goes in; an empty one comes out when it is begun, another with what came of it, and the connection ends. Who
/// asks is served one after the other.
public final class ControlSocket {
    /// How large a request may be, in bytes.
    public static let requestLimit = 64 << 10
    /// For how many seconds whoever asks may be silent.
    static let patience: Int32 = 5

    private let path: String
    private let source: any DispatchSourceRead

    /// Listens beside the file of a store; what a server that was killed left there is taken away.
    ///
    /// - Parameters:
    ///   - store: The path of the server's file, which this process has open.
    ///   - core: What carries it out.
    /// - Throws: `ListenerError` where there can be no such socket.
    public init(beside store: String, core: ServerCore) throws(ListenerError) {
        let path = Self.path(beside: store)
        let descriptor = unsafe tidemark_listen_at(path)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(tidemark_errno()))
            throw ListenerError(
                .failed,
                "\(path): \(reason); without it the running server can't be asked for accounts, tokens and backups")
        }
        self.path = path
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "tidemark control"))
        // Who stops the server closes its file: nobody else may hold the core then.
        source.setEventHandler { [weak core] in
            let asking = tidemark_accept_local(descriptor, Self.patience)
            guard asking >= 0 else { return }
            if let core { Self.serve(asking, core) }
            tidemark_close(asking)
        }
        source.setCancelHandler { tidemark_close(descriptor) }
        source.resume()
        self.source = source
    }

    deinit { self.source.cancel() }

    /// Takes the socket away; nobody can ask any more.
    public func stop() {
        self.source.cancel()
        _ = unsafe unlink(self.path)
    }

    static func path(beside store: String) -> String { "\(store)-control" }

    private static func serve(_ asking: CInt, _ core: ServerCore) {
        do throws(ControlLine.Trouble) {
            let line = try ControlLine.read(from: asking, limit: Self.requestLimit)
            // Who has gone meanwhile was told that nothing was done, and that is so: this fails then.
            try ControlLine.write([], to: asking)
            let request = (try? JSON(parsing: line)).flatMap { AdministrationRequest($0) }
            let reply =
                request?.reply(of: core) ?? ["error": "the request makes no sense to this version of the server"]
            try ControlLine.write(reply.bytes, to: asking)
        } catch {
            return
        }
    }
}

/// Asks a running server (``ControlSocket``).
public enum ControlConnection {
    /// How large a reply may be, in bytes.
    static let replyLimit = 64 << 20
    /// For how many seconds it is waited until the server takes a request, behind those of others.
    static let patience: Int32 = 15
    /// For how many seconds it is waited until what was taken is done: a copy of a large store takes long.
    static let patienceForReply: Int32 = 3_600

    /// What the server of a store replies; nil where none listens there.
    ///
    /// - Throws: `ListenerError` where one does, and does not answer.
    public static func ask(
        beside store: String, _ request: AdministrationRequest
    ) throws(ListenerError) -> JSON? {
        try self.ask(beside: store, request, patience: Self.patience)
    }

    /// - Parameter patience: For how many seconds it is waited until the server takes it.
    package static func ask(
        beside store: String, _ request: AdministrationRequest, patience: Int32
    ) throws(ListenerError) -> JSON? {
        let path = ControlSocket.path(beside: store)
        let descriptor = unsafe tidemark_connect_to(path, patience)
        guard descriptor >= 0 else {
            let number = tidemark_errno()
            guard number != EAGAIN else { throw Self.standsStill(path) }
            guard number == EACCES || number == EPERM else { return nil }
            throw ListenerError(.notAllowed, "\(path): only who runs the server may ask it; become that user")
        }
        defer { tidemark_close(descriptor) }
        // What is asked has tokens in it: they are for the store's owner alone.
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
            "\(path): the server takes no request: it stands still, or does what somebody else asked; nothing was done, try again"
        )
    }

    private static func hungUp(_ path: String) -> ListenerError {
        ListenerError(.failed, "\(path): the server hung up without an answer; look at what it says")
    }
}

/// A line over a socket.
private enum ControlLine {
    /// Why there is no line.
    enum Trouble: Error {
        /// The other side neither took nor sent anything for as long as is waited.
        case silence
        /// It hung up, or sent a line that is too long.
        case end

        /// That of the call that has just failed, or has found the end.
        init(_ count: Int) {
            self = count < 0 && tidemark_errno() == EAGAIN ? .silence : .end
        }
    }

    /// Reads up to the end of the line. What comes behind it may be lost, unless the limit is 0.
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
