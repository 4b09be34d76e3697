import Synchronization
public import TidemarkCore
import TidemarkMachine

/// A remote that makes trouble on purpose, for a debug build: an app shows what it does without a network, or if an answer is lost.
///
/// ```swift
/// let remote = TroubleRemote(wrapping: try HTTPRemote(url: "https://example.com/v1"))
/// remote.isOffline = true                 // requests fail as without a network
/// remote.isHolding = true                 // requests wait, until deliver() or the end of holding
/// remote.loseNextAnswer()                 // the server carries out a request, and its answer is lost
/// ```
///
/// It remembers its last requests, which the page of an ``Inspector`` shows. Change notifications are passed on unless it is offline.
public final class TroubleRemote: Remote {
    private let inner: any Remote
    private let state = Mutex(State())

    private struct State {
        var isOffline = false
        var isHolding = false
        var losesNext = false
        var held: [Int: CheckedContinuation<Void, Never>] = [:]
        var requests: [Request] = []
        var changes = 0
        var number = 0
    }

    /// A request, and how it ended.
    package struct Request: Hashable, Sendable {
        package let number: Int
        package let collection: String
        /// The number of edits in it; 0 for a GET.
        package let edits: Int
        /// The number of rows in its answer; nil before an answer.
        package var rows: Int?
        /// The class of its failure, by which it ended without an answer.
        package var failure: String?
    }

    /// How many requests are remembered.
    package static let requestLimit = 200

    /// Wraps another remote. Give this one to the client, and to its ``Inspector``. All trouble is off at first.
    public init(wrapping inner: some Remote) {
        self.inner = inner
    }

    /// The capabilities of the other remote.
    public var capabilities: RemoteCapabilities { self.inner.capabilities }

    /// Whether each new request fails with ``FailureClass/offline``. A request under way is not affected; change notifications that
    /// arrive meanwhile are dropped.
    public var isOffline: Bool {
        get { self.state.withLock(\.isOffline) }
        set { self.change { $0.isOffline = newValue } }
    }

    /// Whether requests wait before they are sent. At the end of holding they are sent.
    public var isHolding: Bool {
        get { self.state.withLock(\.isHolding) }
        set {
            self.change { $0.isHolding = newValue }
            if !newValue { self.deliver() }
        }
    }

    /// Sends the requests that wait. ``isHolding`` stays on for later ones.
    public func deliver() {
        let held = self.state.withLock { state in
            state.changes += 1
            defer { state.held = [:] }
            return state.held.values
        }
        for request in held { request.resume() }
    }

    /// Loses the next answer that arrives, also that of a request under way: the server has carried it out, and the client gets
    /// ``FailureClass/offline``.
    public func loseNextAnswer() { self.change { $0.losesNext = true } }

    package var losesNextAnswer: Bool { self.state.withLock(\.losesNext) }

    /// How many requests wait.
    package var heldCount: Int { self.state.withLock(\.held.count) }

    /// The last requests, the oldest first.
    package var requests: [Request] { self.state.withLock(\.requests) }

    /// How often anything of the above has changed.
    package var changeCount: Int { self.state.withLock(\.changes) }

    private func change(_ change: (inout State) -> Void) {
        self.state.withLock {
            $0.changes += 1
            change(&$0)
        }
    }

    /// Carries out an exchange over the other remote, with the trouble that is switched on.
    public func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let number = self.begin(request)
        await self.waitWhileHeld(number)
        do throws(RemoteFailure) {
            guard !Task.isCancelled else { throw RemoteFailure(.cancelled, "The request was cancelled.") }
            guard !self.isOffline else { throw Self.offline }
            let answer = try await self.inner.exchange(request)
            let isLost = self.state.withLock { state in
                defer { state.losesNext = false }
                return state.losesNext
            }
            guard !isLost else { throw RemoteFailure(.offline, "The answer was lost on purpose.") }
            self.end(number) { $0.rows = answer.page.rows.count }
            return answer
        } catch {
            self.end(number) { $0.failure = error.failureClass.rawValue }
            throw error
        }
    }

    /// Passes on the change notifications of the other remote, unless it is offline.
    public func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        guard !self.isOffline else { throw Self.offline }
        return try await self.inner.hints(for: collections) { [weak self] hint in
            if self?.isOffline == false { onHint(hint) }
        }
    }

    private static let offline = RemoteFailure(.offline, "The network is switched off on purpose.")

    private func begin(_ request: ExchangeRequest) -> Int {
        self.state.withLock { state in
            state.number += 1
            state.changes += 1
            let remembered = Request(
                number: state.number, collection: request.collection, edits: request.uploads.count)
            state.requests.append(remembered)
            if state.requests.count > Self.requestLimit { state.requests.removeFirst() }
            return state.number
        }
    }

    private func end(_ number: Int, _ change: (inout Request) -> Void) {
        self.change { state in
            guard let index = state.requests.lastIndex(where: { $0.number == number }) else { return }
            change(&state.requests[index])
        }
    }

    /// A cancelled request does not wait any longer.
    private func waitWhileHeld(_ number: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = self.state.withLock { state in
                    guard state.isHolding, !Task.isCancelled else { return false }
                    state.held[number] = continuation
                    state.changes += 1
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.held.removeValue(forKey: number) }?.resume()
        }
    }
}
