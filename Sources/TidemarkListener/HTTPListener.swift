import Dispatch
import Synchronization
public import TidemarkServer

/// Serves a `ServerCore` over HTTP/1.1, on libmicrohttpd (SPEC §5).
///
/// ```swift
/// let listener = try HTTPListener(core, settings: ListenerSettings(port: 8080))
/// print("listening on port \(listener.port)")
/// listener.stop()                          // at the end; it lets what is being answered go out first
/// ```
///
/// A watch (SPEC §10) is a connection that rests: it costs no thread, none of the places of those who ask, and no more than one
/// hint for each collection, whether or not its client takes them.
///
/// POSTs that come in while a transaction runs share the next one, and each is answered when it is on disk; what only reads
/// does not wait for them. Bodies are limited to `core.limits.body`, packed and unpacked, a
/// target to 16 KiB and a head to 64 KiB. A target may be in absolute form (RFC 9112 §3.2.2).
///
/// A few refusals are libmicrohttpd's own, in HTML: a first line that is none (400) or of another version than HTTP/1 (505),
/// a target or head that is larger than all it reads (414, 431: beyond 128 KiB, or a thousand fields), and chunks that are
/// none (400, 413). It says beforehand that it sends one, and not to whom. Where only one connection has sent what was not
/// understood yet, it is answered here first, as a problem; where several have, as two that stop in the middle of a line, the
/// page goes out. A first line without a target, or with tabs in the place of its blanks, it hangs up on without a word.
///
/// Between chunks the library takes a bare LF for the end of a line, at its strict level too, which would only add pages of
/// its own for what is refused here; extensions of chunks are ignored, as they have to be (RFC 9112 §7.1.1). A proxy may see
/// the end of such a body at another place, and a second request behind it would be another client's (RFC 9112 §11.2). So the
/// connection is closed after each request in chunks. A client that shuts down its sending side gets no answer: the library
/// closes the connection when it reads the end.
public final class HTTPListener: Sendable {
    /// The port that is listened on.
    public let port: UInt16
    /// The settings it was started with; there are fewer connections where the system allows too few open files.
    public let settings: ListenerSettings

    private let table: ConnectionTable
    private let daemon: Mutex<Daemon?>

    /// Starts listening; requests are answered when this returns.
    ///
    /// - Parameters:
    ///   - core: What answers.
    ///   - settings: Where it listens, and with how much patience.
    ///   - log: Hears of each request that was answered, on a thread that has others to serve: it has to return soon.
    /// - Throws: `ListenerError` when the address or the port can't be had.
    public init(
        _ core: ServerCore, settings: ListenerSettings = ListenerSettings(),
        log: (@Sendable (AccessEntry) -> Void)? = nil
    ) throws(ListenerError) {
        let socket = try ListeningSocket(address: settings.address, port: settings.port)
        let room = DescriptorLimit.raise(to: settings.mostConnections + core.limits.watches)
        let settings = settings.fitting(room)
        // Who asks comes first: without hints a client asks now and then, and without answers it does nothing.
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

    /// True once ``stop()`` was called.
    public var isStopping: Bool { self.table.isStopping }

    deinit {
        self.stop()
    }

    /// Stops: lets nobody in any more, finishes what is being answered (for as long as the grace), then closes all.
    ///
    /// Returns when it is done; a second call does nothing. It must not be called from inside the core.
    ///
    /// - Returns: False when the core was still at work after the grace: then its thread is left behind, and the process
    ///   may end at any time, as what is not committed leaves nothing behind.
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

    /// Looks for overdue connections and silent watches now and then, for as long as there is a table.
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
