import Synchronization
public import TidemarkCore
import TidemarkMachine

/// A network under the test's control: each request waits in it until the test decides its outcome.
///
/// The network does not wait for a time; ``next(within:)`` returns when a client has sent a request, and has a deadline in case
/// that none does. ``deliverAll()`` is for the parts of a test in which no message should be lost.
///
/// ```swift
/// let network = PausedNetwork(InProcessRemote(server))
/// let client = try SyncClient(store: MemoryStore(), remote: network)
/// async let report = client.sync()
/// let request = try await network.next()
/// await request.dropAnswer()              // the server has the edit, and the client does not know that
/// ```
public final class PausedNetwork: Remote {
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
    let requests = HeldQueue<HeldRequest>()

    /// The held hints; nil if the network passes no hints.
    let heldHints: HeldHints?

    /// Makes a network in front of a server.
    ///
    /// - Parameters:
    ///   - remote: The server.
    ///   - holdsHints: Whether the network holds hints for the test, see ``nextHint(within:)``; if not, the client gets no
    ///     hints.
    public init(_ remote: some Remote, holdsHints: Bool = false) {
        self.remote = remote
        self.heldHints = holdsHints ? HeldHints() : nil
    }

    /// The capabilities of the server behind it.
    public var capabilities: RemoteCapabilities { self.remote.capabilities }

    /// Holds a request until the test decides; a cancelled task fails with the class `cancelled` at once.
    public func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let number = self.state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.state.withLock { $0.clients[number] = Client(request: request, continuation: continuation) }
                // Cancelled before the client was in the list: the handler found no client to settle.
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

    /// Returns the next request that the test has not got yet, the oldest first; waits until there is one.
    ///
    /// - Parameter limit: How long to wait, by the real clock: a guard against a test that would otherwise never end.
    /// - Throws: ``TestDeadlineError`` after that time, which lists the requests until then; `CancellationError` if the task
    ///   was cancelled.
    public func next(within limit: Duration = TestDeadlineError.usualLimit) async throws -> HeldRequest {
        let requests = self.requests
        return try await withDeadline(limit, for: "No client sent a request", seen: self.describe) {
            await requests.take()
        }
    }

    /// Delivers each request and its answer, and each hint, in order, until its task is cancelled;
    /// ``deliverAll(losing:doubling:seed:requests:)`` loses some.
    ///
    /// ```swift
    /// let network = PausedNetwork(InProcessRemote(server))
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

    /// The number of requests that were sent and that the test has not got yet.
    public var waitingCount: Int { self.requests.count }

    /// The requests, for a message.
    @Sendable private func describe() -> String {
        let (sent, open) = self.state.withLock {
            ($0.lastNumber, $0.clients.sorted { $0.key < $1.key }.map(\.value.request))
        }
        let list = open.map { request in
            let pks = request.uploads.map(\.pk).joined(separator: ", ")
            return pks.isEmpty ? "a GET of \(request.collection)" : "a POST of \(pks) in \(request.collection)"
        }
        return """
            Requests so far: \(sent); without an answer: \(list.isEmpty ? "none" : list.joined(separator: "; ")). Is a \
            sync to be begun, a clock to be moved, or a request that was taken to be delivered?
            """
    }

    fileprivate func isOpen(_ number: Int) -> Bool { self.state.withLock { $0.clients[number] != nil } }

    /// The number of clients that wait for an answer.
    public var openCount: Int { self.state.withLock { $0.clients.count } }

    private static let cancelled = RemoteFailure(.cancelled, "The exchange was cancelled.")

    fileprivate func carry(_ request: ExchangeRequest) async -> Result<ExchangeAnswer, RemoteFailure> {
        do throws(RemoteFailure) {
            return .success(try await self.remote.exchange(request))
        } catch {
            return .failure(error)
        }
    }

    /// Gives a client its outcome; false if it has one already.
    @discardableResult
    fileprivate func settle(_ number: Int, with result: Result<ExchangeAnswer, RemoteFailure>) -> Bool {
        let client = self.state.withLock { $0.clients.removeValue(forKey: number) }
        client?.continuation.resume(returning: result)
        return client != nil
    }
}

/// One request in a ``PausedNetwork``.
///
/// Its methods describe the possible outcomes: the request reaches the server or not, once or twice, and its answer reaches the
/// client or not. For the client the first outcome counts; only the server sees later deliveries, as with a late duplicate.
public struct HeldRequest: Sendable {
    private let network: PausedNetwork
    private let number: Int

    /// The client's request.
    public let request: ExchangeRequest

    fileprivate init(network: PausedNetwork, number: Int, request: ExchangeRequest) {
        self.network = network
        self.number = number
        self.request = request
    }

    /// Whether the client still waits: it has no outcome, and was not cancelled.
    public var isOpen: Bool { self.network.isOpen(self.number) }

    /// Delivers the request to the server, and the answer to the client.
    public func deliver() async {
        self.answer(with: await self.reachServer())
    }

    /// Delivers the request to the server twice, and the first answer to the client.
    public func duplicate() async {
        let first = await self.reachServer()
        _ = await self.reachServer()
        self.answer(with: first)
    }

    /// Loses the request; the client only learns that the connection broke.
    public func drop() {
        self.fail(RemoteFailure(.offline, "The test dropped the request."))
    }

    /// Delivers the request to the server, and loses the answer.
    public func dropAnswer() async {
        _ = await self.reachServer()
        self.fail(RemoteFailure(.offline, "The test dropped the answer."))
    }

    /// Delivers the request to the server; the client still waits.
    ///
    /// After the client has its outcome, this is a late duplicate.
    ///
    /// - Returns: The answer, for ``answer(with:)``.
    public func reachServer() async -> Result<ExchangeAnswer, RemoteFailure> {
        await self.network.carry(self.request)
    }

    /// Gives the client an answer or a failure.
    ///
    /// - Returns: False if the request has an outcome already.
    @discardableResult
    public func answer(with result: Result<ExchangeAnswer, RemoteFailure>) -> Bool {
        self.network.settle(self.number, with: result)
    }

    /// Gives the client a failure; whether the server gets the request depends on ``reachServer()`` before or after.
    public func fail(_ failure: RemoteFailure) {
        self.answer(with: .failure(failure))
    }
}
