import Dispatch
import Synchronization
public import TidemarkServer

/// Serves a `ServerCore` over HTTP/1.1, on libmicrohttpd (Contract §5).
///
/// ```swift
/// let listener = try HTTPListener(core, settings: ListenerSettings(port: 8080))
/// print("listening on port \(listener.port)")
/// listener.stop()                          // at the end; it first finishes the answers in progress
/// ```
///
/// A watch (Contract §10) needs no thread, does not count as a connection with requests, and keeps at most one hint for each
/// collection, even if its client does not read. It leaves libmicrohttpd after its first events, and then needs about 1.2 KiB. With
/// TLS it remains a suspended connection of the library, which keeps a buffer of 64 KiB for it.
///
/// POSTs that arrive while a transaction runs share the next one, and each is answered when it is on disk; reads do not wait
/// for them. The limits are `core.limits.body` for a body, compressed and uncompressed, 16 KiB for a target and 64 KiB for a
/// head. A target may be in absolute form (RFC 9112 §3.2.2).
///
/// libmicrohttpd itself answers a few refusals, in HTML: a malformed first line (400) or a version other than HTTP/1 (505), a
/// target or head that is larger than its buffer (414, 431: beyond 128 KiB, or a thousand fields), and malformed chunks (400,
/// 413). It reports this beforehand, but not for which connection. If only one connection has sent unparsed bytes, this server
/// answers it first, with a problem; if several have, such as two that stop in the middle of a line, the page is sent. The
/// library closes a connection without an answer if the first line has no target, or tabs instead of blanks.
///
/// Between chunks the library accepts a bare LF as the end of a line, even at its strict level, which would only add pages of
/// its own for requests that this server refuses; extensions of chunks are ignored, as required (RFC 9112 §7.1.1). A proxy may
/// find the end of such a body at another place, and would then take a second request in it for another client's (RFC 9112
/// §11.2). So the connection is closed after each request in chunks. A client that shuts down its sending side gets no answer:
/// the library closes the connection when it reads the end.
public final class HTTPListener: Sendable {
    /// The port on which it listens.
    public let port: UInt16
    /// The settings in effect, with fewer connections than requested if the system allows too few open files.
    public let settings: ListenerSettings

    private let table: ConnectionTable
    private let daemon: Mutex<Daemon?>

    /// Starts listening; requests are answered when this returns.
    ///
    /// - Parameters:
    ///   - core: The server.
    ///   - settings: The address, timeouts and limits.
    ///   - log: Gets each answered request, on a thread that serves other requests: it must return quickly.
    /// - Throws: `ListenerError` if the address or the port is unavailable.
    public init(
        _ core: ServerCore, settings: ListenerSettings = ListenerSettings(),
        log: (@Sendable (AccessEntry) -> Void)? = nil
    ) throws(ListenerError) {
        let socket = try ListeningSocket(address: settings.address, port: settings.port)
        let room = DescriptorLimit.raise(to: settings.mostConnections + core.limits.watches)
        let settings = settings.fitting(room)
        // Connections with requests come first: without hints a client polls, and without answers it can do nothing.
        let watchPlaces = max(0, min(core.limits.watches, room - settings.mostConnections))
        let table = ConnectionTable(settings, watchPlaces: watchPlaces)
        self.settings = settings
        self.port = socket.port
        self.table = table
        self.daemon = Mutex(
            try Daemon(
                socket,
                service: HTTPService(
                    core: core, table: table, settings: settings, log: log, resume: DaemonCallbacks.resume),
                settings: settings))
        Self.watch(table, every: min(settings.clientTimeout, settings.heartbeat) / 4)
    }

    /// How many connections are open now.
    public var openConnections: Int { self.table.count }

    /// How many of them libmicrohttpd has: it has no watch that was opened a moment ago, unless the server uses TLS.
    package var connectionsOfLibrary: Int { self.daemon.withLock { $0?.connections ?? 0 } }

    /// True once ``stop()`` was called.
    public var isStopping: Bool { self.table.isStopping }

    deinit {
        self.stop()
    }

    /// Stops: accepts no more connections, finishes the answers in progress (within the grace period), then closes all
    /// connections.
    ///
    /// Returns when it is done; a second call does nothing. It must not be called from inside the core.
    ///
    /// - Returns: False if the core was still working after the grace period: then its thread is abandoned. The process may
    ///   still end at any time, since an uncommitted transaction has no effect.
    @discardableResult
    public func stop() -> Bool {
        self.daemon.withLock { daemon in
            guard let running = daemon.take() else { return true }
            running.letNobodyIn()
            guard self.table.stopAndWait() else {
                running.leaveBehind()
                return false
            }
            running.stop()
            return true
        }
    }

    /// Checks for overdue connections and silent watches periodically, as long as the table exists.
    private static func watch(_ table: ConnectionTable, every interval: Duration) {
        let (seconds, attoseconds) = interval.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let pause = DispatchTimeInterval.nanoseconds(Int(min(max(nanoseconds, 10_000_000), 1_000_000_000)))
        DispatchQueue.global().asyncAfter(deadline: .now() + pause) { [weak table] in
            guard let table else { return }
            table.dropOverdue()
            table.lookAfterWatches()
            Self.watch(table, every: interval)
        }
    }
}
