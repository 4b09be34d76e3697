import Synchronization
public import TidemarkCore
import TidemarkMachine

extension PausedNetwork {
    /// Holds each hint until the test delivers it; heartbeats pass, unless the network is ``isSilent``.
    public func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        guard let held = self.heldHints else { return .never }
        let (breaks, signal) = AsyncStream.makeStream(of: RemoteFailure.self)
        let listener = held.add(signal)
        defer { held.remove(listener) }
        let result = await withTaskGroup(of: Result<RemoteHint.End, RemoteFailure>.self) { group in
            group.addTask {
                do throws(RemoteFailure) {
                    return .success(
                        try await self.remote.hints(for: collections) { hint in held.hold(hint, for: listener, onHint) }
                    )
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                for await failure in breaks { return .failure(failure) }
                return .failure(RemoteFailure(.cancelled, "The hints were cancelled."))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .success(.ended)
        }
        return try result.get()
    }

    /// Returns the next hint that the test has not got yet, the oldest first; waits until there is one.
    ///
    /// - Parameter limit: How long to wait, by the real clock.
    /// - Throws: ``TestDeadlineError`` after that time; `CancellationError` if the task was cancelled.
    /// - Precondition: The network holds hints.
    public func nextHint(within limit: Duration = TestDeadlineError.usualLimit) async throws -> HeldHint {
        guard let heldHints else { preconditionFailure("This network holds no hints: make it with holdsHints: true.") }
        let seen = { @Sendable in "\(heldHints.state.withLock { $0.listeners.count }) clients listen." }
        return try await withDeadline(limit, for: "No hint came", seen: seen) { await heldHints.queue.take() }
    }

    /// Whether no hint and no heartbeat passes, as behind a proxy that buffers answers.
    public var isSilent: Bool {
        get { self.heldHints?.state.withLock(\.isSilent) ?? true }
        set { self.heldHints?.state.withLock { $0.isSilent = newValue } }
    }

    /// The number of clients that listen to hints.
    public var listenerCount: Int { self.heldHints?.state.withLock { $0.listeners.count } ?? 0 }

    /// Breaks the connections of hints; a hint from them that is delivered later has no effect.
    ///
    /// - Parameter failure: The failure that the clients get; nil for a broken connection.
    public func breakHints(_ failure: RemoteFailure? = nil) {
        let failure = failure ?? RemoteFailure(.offline, "The test broke the connection.")
        for signal in self.heldHints?.state.withLock({ Array($0.listeners.values) }) ?? [] { signal.yield(failure) }
    }
}

/// One hint in a ``PausedNetwork``: the client gets it each time that the test delivers it, in the order of the deliveries. A
/// hint that is not delivered is lost.
public struct HeldHint: Sendable {
    /// The collection that has changed.
    public let collection: String
    /// The cursor of the hint.
    public let cursor: String?

    let hear: @Sendable () -> Void

    /// Delivers the hint to its client, if that still listens.
    public func deliver() { self.hear() }
}

/// The hints that a ``PausedNetwork`` holds, and the listening clients.
final class HeldHints: Sendable {
    struct State {
        var isSilent = false
        var lastListener = 0
        var listeners: [Int: AsyncStream<RemoteFailure>.Continuation] = [:]
    }

    let state = Mutex(State())
    let queue = HeldQueue<HeldHint>()

    func add(_ signal: AsyncStream<RemoteFailure>.Continuation) -> Int {
        self.state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = signal
            return state.lastListener
        }
    }

    func remove(_ listener: Int) { self.state.withLock { $0.listeners[listener] = nil } }

    func hold(_ hint: RemoteHint, for listener: Int, _ onHint: @escaping @Sendable (RemoteHint) -> Void) {
        let passOn: @Sendable () -> Void = { [weak self] in
            let isHeard = self?.state.withLock { $0.listeners[listener] != nil && !$0.isSilent } ?? false
            if isHeard { onHint(hint) }
        }
        guard case .moved(let collection, let cursor) = hint else { return passOn() }
        self.queue.put(HeldHint(collection: collection, cursor: cursor, hear: passOn))
    }
}
