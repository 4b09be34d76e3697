import Synchronization
import TidemarkJSON

/// Who waits for hints about some collections of an account, without the connection that carries them.
///
/// It keeps the newest hint of each collection until ``take()``, and never a queue: a reader that takes nothing costs no more
/// than one that does. Whoever opened it calls ``end()``, whatever happens to the connection.
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
        // Asks proxies, nginx first of all, not to wait until a page is full.
        ("X-Accel-Buffering", "no"),
    ]

    /// Whose it is.
    public let account: String
    /// What is watched; nil for all that the account has, or will have.
    let collections: [String]?
    /// The digest of the storage's token by which it came; nil where it came by none.
    let token: String?
    private let most: Int
    private let state = Mutex(State())
    private let hasRoom: @Sendable () -> Bool
    private let close: @Sendable (ServerWatch, _ names: Int) -> Void

    /// - Parameters:
    ///   - token: The digest of the storage's token by which it came; nil where it came by none.
    ///   - most: About how many collections it keeps a hint.
    ///   - hasRoom: Asked for one name more, where it watches all.
    ///   - close: Takes it off the board, with the names that it had.
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

    /// Names who is told that there is something to ``take()``, or that it is over: once, until that was looked at. It is called
    /// at once where that is so already, and from any thread; it must return soon, and may not call back.
    public func onNews(_ wake: @escaping @Sendable () -> Void) {
        let isDue = self.state.withLock { state in
            state.wake = wake
            return state.isOver || !state.pending.isEmpty
        }
        if isDue { wake() }
    }

    /// The hints since the last call, the oldest first; of two at one version, in the order of their collections.
    public func take() -> [ServerHint] {
        self.state.withLock { state in
            defer { state.pending.removeAll() }
            return state.pending.count < 2
                ? Array(state.pending.values) : state.pending.values.sorted { $0.place < $1.place }
        }
    }

    /// True when no hint comes any more: the connection is closed, and a reader that wants to go on connects again.
    public var isOver: Bool { self.state.withLock(\.isOver) }

    /// Ends it, and lets go of all that it keeps. A second call does nothing.
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

    /// Takes in a hint. One that is not newer than what was offered before, by which way ever it comes, does nothing.
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
        // It may have no hint left out, and so it is said that there is no more: who connects again is told the limit.
        case .full: self.end()
        case .wake(let wake): wake()
        }
    }
}

extension ServerWatch {
    /// Whether it may keep hints about so many collections. Those that it named are counted since it began.
    private func takes(_ count: Int) -> Bool {
        count <= self.most && (self.collections != nil || self.hasRoom())
    }
}

extension ServerHint {
    /// Where it stands among others: each collection has a line of versions of its own, so that two may be equal.
    fileprivate var place: (Int64, CodePointString) { (self.version, CodePointString(self.collection)) }
}
