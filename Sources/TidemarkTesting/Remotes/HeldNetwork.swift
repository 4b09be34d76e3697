import Synchronization
public import TidemarkCore
import TidemarkMachine

/// A network in the test's hand: every request stays in it until the test says what becomes of it.
///
/// Nothing here waits for a time; ``next(within:)`` returns when a client has sent something, and has a deadline for the case that
/// none does. ``deliverAll()`` is for the parts of a test in which nothing is to be lost.
///
/// ```swift
/// let network = HeldNetwork(InProcessRemote(server))
/// let client = try SyncClient(store: MemoryStore(), remote: network)
/// async let report = client.sync()
/// let request = try await network.next()
/// await request.dropAnswer()              // the server has it, and the client does not know
/// ```
public final class HeldNetwork: Remote {
    private struct State {
        var lastNumber = 0
        var clients: [Int: Client] = [:]
    }

    /// A client that waits for an answer.
    private struct Client {
        let request: ExchangeRequest
        let continuation: CheckedContinuation<Result<ExchangeAnswer, RemoteFailure>, Never>
    }

    let remote: any Remote
    private let state = Mutex(State())
    private let requests = HeldQueue<HeldRequest>()

    /// The hints that are held; nil where none comes through.
    let heldHints: HeldHints?

    /// Makes a network in front of a server.
    ///
    /// - Parameters:
    ///   - remote: The server.
    ///   - holdsHints: Whether hints come as far as the test's hand, see ``nextHint(within:)``; without it nobody hints here.
    public init(_ remote: some Remote, holdsHints: Bool = false) {
        self.remote = remote
        self.heldHints = holdsHints ? HeldHints() : nil
    }

    /// Those of the server behind it.
    public var capabilities: RemoteCapabilities { self.remote.capabilities }

    /// Holds a request until the test decides; a cancelled task gets the class `cancelled` at once.
    public func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let number = self.state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.state.withLock { $0.clients[number] = Client(request: request, continuation: continuation) }
                // Cancelled before the client stood in the list: the handler found nothing to settle.
                if Task.isCancelled {
                    self.settle(number, with: .failure(Self.cancelled))
                }
                self.requests.put(HeldRequest(network: self, number: number, request: request))
            }
        } onCancel: {
            self.settle(number, with: .failure(Self.cancelled))
        }
        return try result.get()
    }

    /// The next request that was sent and not looked at, the oldest first; waits until there is one.
    ///
    /// - Parameter limit: How long to wait, by the real clock: a guard against a test that would otherwise never end.
    /// - Throws: ``TestDeadlineError`` after that time, which says what was sent until then; `CancellationError` to a task that
    ///   was cancelled.
    public func next(within limit: Duration = TestDeadlineError.usualLimit) async throws -> HeldRequest {
        let requests = self.requests
        return try await withDeadline(limit, for: "No client sent a request", seen: self.describe) {
            await requests.take()
        }
    }

    /// Delivers each request and its answer, and each hint, in their order, until its task is cancelled.
    ///
    /// ```swift
    /// let network = HeldNetwork(InProcessRemote(server))
    /// let client = try SyncClient(store: MemoryStore(), remote: network)
    /// async let _ = network.deliverAll()      // until the end of this scope
    /// _ = try await client.sync()
    /// ```
    public func deliverAll() async {
        await withDiscardingTaskGroup { group in
            if let hints = self.heldHints?.queue {
                group.addTask { while !Task.isCancelled, let hint = await hints.take() { hint.deliver() } }
            }
            while !Task.isCancelled, let request = await self.requests.take() { await request.deliver() }
        }
    }

    /// How many requests were sent and not looked at.
    public var waitingCount: Int { self.requests.count }

    /// What was sent, for a message.
    @Sendable private func describe() -> String {
        let (sent, open) = self.state.withLock {
            ($0.lastNumber, $0.clients.sorted { $0.key < $1.key }.map(\.value.request))
        }
        let list = open.map { request in
            let pks = request.uploads.map(\.pk).joined(separator: ", ")
            return pks.isEmpty ? "a GET of \(request.collection)" : "a POST of \(pks) in \(request.collection)"
        }
        return """
            Requests until now: \(sent); without an answer: \(list.isEmpty ? "none" : list.joined(separator: "; ")). Is a \
            sync to be begun, a clock to be moved, or a request that was taken to be delivered?
            """
    }

    fileprivate func isOpen(_ number: Int) -> Bool { self.state.withLock { $0.clients[number] != nil } }

    /// How many clients wait for an answer.
    public var openCount: Int { self.state.withLock { $0.clients.count } }

    private static let cancelled = RemoteFailure(.cancelled, "The exchange was cancelled.")

    fileprivate func carry(_ request: ExchangeRequest) async -> Result<ExchangeAnswer, RemoteFailure> {
        do throws(RemoteFailure) {
            return .success(try await self.remote.exchange(request))
        } catch {
            return .failure(error)
        }
    }

    /// Gives a client its outcome; false when it has one already.
    @discardableResult
    fileprivate func settle(_ number: Int, with result: Result<ExchangeAnswer, RemoteFailure>) -> Bool {
        let client = self.state.withLock { $0.clients.removeValue(forKey: number) }
        client?.continuation.resume(returning: result)
        return client != nil
    }
}

/// One request in a ``HeldNetwork``.
///
/// What a network can do to it are sentences: the request reaches the server or not, once or again, and its answer
/// reaches the client or not. A client that has an outcome keeps it: what is done afterwards only the server sees, as
/// with a late duplicate.
public struct HeldRequest: Sendable {
    private let network: HeldNetwork
    private let number: Int

    /// What the client asks.
    public let request: ExchangeRequest

    fileprivate init(network: HeldNetwork, number: Int, request: ExchangeRequest) {
        self.network = network
        self.number = number
        self.request = request
    }

    /// Whether the client still waits: it was not cancelled, and has no outcome.
    public var isOpen: Bool { self.network.isOpen(self.number) }

    /// The request reaches the server, and the answer the client.
    public func deliver() async {
        self.answer(with: await self.reachServer())
    }

    /// The request reaches the server twice, and the first answer the client.
    public func duplicate() async {
        let first = await self.reachServer()
        _ = await self.reachServer()
        self.answer(with: first)
    }

    /// The request is lost on its way, and the client hears nothing but that the connection broke.
    public func drop() {
        self.fail(RemoteFailure(.offline, "The test dropped the request."))
    }

    /// The request reaches the server, and the answer is lost on its way.
    public func dropAnswer() async {
        _ = await self.reachServer()
        self.fail(RemoteFailure(.offline, "The test dropped the answer."))
    }

    /// The request reaches the server, now; the client still waits.
    ///
    /// After the client has its outcome this is a late duplicate.
    ///
    /// - Returns: The answer, to be kept for ``answer(with:)``.
    public func reachServer() async -> Result<ExchangeAnswer, RemoteFailure> {
        await self.network.carry(self.request)
    }

    /// The client gets an answer, or a failure.
    ///
    /// - Returns: False when it has an outcome already.
    @discardableResult
    public func answer(with result: Result<ExchangeAnswer, RemoteFailure>) -> Bool {
        self.network.settle(self.number, with: result)
    }

    /// The client gets a failure; whether the server has the request is up to ``reachServer()`` before or after.
    public func fail(_ failure: RemoteFailure) {
        self.answer(with: .failure(failure))
    }
}
