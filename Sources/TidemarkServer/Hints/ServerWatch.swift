import Synchronization
import TidemarkJSON

/// Collects hints of some collections of an account, independent of the connection that sends them.
///
/// It keeps the newest hint of each collection until ``take()``, not a queue: a slow reader needs no more memory than a fast
/// one. The code that opened it must call ``end()``, even if the connection fails.
///
/// ```swift
/// let asked = ServerRequest(method: "GET", target: "/v1/?watch=notes", headers: [("Accept", "text/event-stream")])
/// if case .events(let watch) = core.answer(asked) {
///     watch.onNews { print("there is something to take") }
///     for hint in watch.take() { print(hint.collection) }
///     watch.end()
/// }
/// ```
public final class ServerWatch: Sendable {
    private struct State {
        var newest: [CodePointString: Int64] = [:]
        var pending: [CodePointString: ServerHint] = [:]
        var wake: (@Sendable () -> Void)?
        var isOver = false
    }

    /// The header fields of an answer that is a stream of events.
    public static let headers = [
        ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
        // Tells proxies, such as nginx, not to buffer.
        ("X-Accel-Buffering", "no"),
    ]

    /// The name of the account.
    public let account: String
    /// The watched collections; nil for all that the account has or will have.
    let collections: [String]?
    /// The digest of the storage's token that authorized the request; nil if none did.
    let token: String?
    private let most: Int
    private let state = Mutex(State())
    private let hasRoom: @Sendable () -> Bool
    private let close: @Sendable (ServerWatch, _ names: Int) -> Void

    /// - Parameters:
    ///   - token: The digest of the storage's token that authorized the request; nil if none did.
    ///   - most: For about how many collections it keeps a hint.
    ///   - hasRoom: Reserves one more name for a watch of all collections; false if a limit is reached.
    ///   - close: Removes the watch from the board, with the number of its names.
    init(
        account: String, collections: [String]?, token: String?, most: Int, hasRoom: @escaping @Sendable () -> Bool,
        close: @escaping @Sendable (ServerWatch, _ names: Int) -> Void
    ) {
        self.account = account
        self.collections = collections
        self.token = token
        self.most = most
        self.hasRoom = hasRoom
        self.close = close
    }

    /// Sets the callback for new hints and for the end of the watch. It is called once until the next ``take()``, immediately
    /// if there are hints or the watch is over, and from any thread. It must return quickly and must not call back.
    public func onNews(_ wake: @escaping @Sendable () -> Void) {
        let isDue = self.state.withLock { state in
            state.wake = wake
            return state.isOver || !state.pending.isEmpty
        }
        if isDue { wake() }
    }

    /// The hints since the last call, the oldest first; hints with the same version are ordered by their collections.
    public func take() -> [ServerHint] {
        self.state.withLock { state in
            defer { state.pending.removeAll() }
            return state.pending.count < 2
                ? Array(state.pending.values) : state.pending.values.sorted { $0.place < $1.place }
        }
    }

    /// True if no more hints will come: the connection is closed, and a reader that wants more hints must reconnect.
    public var isOver: Bool { self.state.withLock(\.isOver) }

    /// Ends the watch and discards its hints. A second call does nothing.
    public func end() {
        let left = self.state.withLock { state -> (wake: @Sendable () -> Void, names: Int)? in
            guard !state.isOver else { return nil }
            let left = (wake: state.wake ?? {}, names: self.collections?.count ?? state.newest.count)
            state = State(isOver: true)
            return left
        }
        guard let left else { return }
        self.close(self, left.names)
        left.wake()
    }

    /// Stores a hint, unless it is not newer than an earlier one of the same collection.
    func offer(_ hint: ServerHint) {
        enum Outcome { case nothing, full, wake(@Sendable () -> Void) }
        let outcome = self.state.withLock { state -> Outcome in
            let name = CodePointString(hint.collection)
            guard !state.isOver, state.newest[name].map({ $0 < hint.version }) ?? true else { return .nothing }
            guard state.newest[name] != nil || self.takes(state.newest.count + 1) else { return .full }
            let isFirst = state.pending.isEmpty
            state.newest[name] = hint.version
            state.pending[name] = hint
            return isFirst ? state.wake.map { .wake($0) } ?? .nothing : .nothing
        }
        switch outcome {
        case .nothing: break
        // A hint must not be dropped silently, so the watch ends: a client that reconnects gets the limit as an error.
        case .full: self.end()
        case .wake(let wake): wake()
        }
    }
}

extension ServerWatch {
    /// Whether the watch may keep hints of `count` collections. The names in its request are counted since it was opened.
    private func takes(_ count: Int) -> Bool {
        count <= self.most && (self.collections != nil || self.hasRoom())
    }
}

extension ServerHint {
    /// The place of the hint in the order of hints: collections have independent versions, so two hints may have the
    /// same version.
    fileprivate var place: (Int64, CodePointString) { (self.version, CodePointString(self.collection)) }
}
