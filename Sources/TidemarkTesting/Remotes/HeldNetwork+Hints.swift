import Synchronization
public import TidemarkCore
import TidemarkMachine

extension HeldNetwork {
    /// Holds each hint until the test decides; heartbeats go through, unless the network is ``isSilent``.
    public func hints(
        for collections: [String], hear: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> HintsEnd {
        guard let held = self.heldHints else { return .never }
        let (breaks, signal) = AsyncStream.makeStream(of: RemoteFailure.self)
        let listener = held.add(signal)
        defer { held.remove(listener) }
        let result = await withTaskGroup(of: Result<HintsEnd, RemoteFailure>.self) { group in
            group.addTask {
                do throws(RemoteFailure) {
                    return .success(
                        try await self.remote.hints(for: collections) { hint in held.hold(hint, for: listener, hear) })
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

    /// The next hint about a collection that was not looked at, the oldest first; waits until there is one.
    ///
    /// - Parameter limit: How long to wait, by the real clock.
    /// - Throws: ``TestDeadlineError`` after that time; `CancellationError` to a task that was cancelled.
    /// - Precondition: The network holds hints.
    public func nextHint(within limit: Duration = TestDeadlineError.usualLimit) async throws -> HeldHint {
        guard let heldHints else { preconditionFailure("This network holds no hints: make it with holdsHints: true.") }
        let seen = { @Sendable in "\(heldHints.state.withLock { $0.listeners.count }) clients listen." }
        return try await withDeadline(limit, for: "No hint came", seen: seen) { await heldHints.queue.take() }
    }

    /// Whether nothing comes through to who listens, not even a heartbeat: as behind a proxy that collects what it passes on.
    public var isSilent: Bool {
        get { self.heldHints?.state.withLock(\.isSilent) ?? true }
        set { self.heldHints?.state.withLock { $0.isSilent = newValue } }
    }

    /// How many listen to hints now.
    public var listenerCount: Int { self.heldHints?.state.withLock { $0.listeners.count } ?? 0 }

    /// The connections break on which hints come; what is held of them is heard by nobody any more.
    ///
    /// - Parameter failure: What who listens is told; nil for a connection that broke.
    public func breakHints(_ failure: RemoteFailure? = nil) {
        let failure = failure ?? RemoteFailure(.offline, "The test broke the connection.")
        for signal in self.heldHints?.state.withLock({ Array($0.listeners.values) }) ?? [] { signal.yield(failure) }
    }
}

/// One hint in a ``HeldNetwork``: it is heard when it is delivered, as often as it is, and in the order in which that is done. One
/// that is not delivered is lost.
public struct HeldHint: Sendable {
    /// The collection that has moved.
    public let collection: String
    /// How far.
    public let watermark: String?

    let hear: @Sendable () -> Void

    /// Who listened hears it, if it still does.
    public func deliver() { self.hear() }
}

/// The hints that a ``HeldNetwork`` holds, and who listens.
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

    func hold(_ hint: RemoteHint, for listener: Int, _ hear: @escaping @Sendable (RemoteHint) -> Void) {
        let passOn: @Sendable () -> Void = { [weak self] in
            let isHeard = self?.state.withLock { $0.listeners[listener] != nil && !$0.isSilent } ?? false
            if isHeard { hear(hint) }
        }
        guard case .moved(let collection, let watermark) = hint else { return passOn() }
        self.queue.put(HeldHint(collection: collection, watermark: watermark, hear: passOn))
    }
}
