import Synchronization
import TidemarkCore
import TidemarkMachine

/// A remote that loses one exchange, either before the server sees the request or after it has carried it out.
final class MessageLoser: Remote {
    let capabilities = RemoteCapabilities.native

    /// The part of an exchange that is lost.
    enum Loss: Sendable {
        /// The server never sees the request.
        case request

        /// The server has carried the request out.
        case answer

        /// The exchange is complete; all later ones are lost until ``MessageLoser/reconnect()``.
        case rest
    }

    /// The method of an exchange.
    enum Method: Sendable {
        case get, post
    }

    /// One exchange: the first of its method since the aim was set has the number 0.
    struct Aim: Sendable {
        var method: Method
        var number = 0
    }

    /// The server's answer.
    enum Message: Hashable, Sendable {
        case page(hasMore: Bool)
        case results([Verdict])
        case failed(FailureClass)
    }

    /// The outcome of one edit, without the row.
    enum Verdict: Sendable {
        case accepted, conflicted, refused, unknown
    }

    private struct State: Sendable {
        var inner: any Remote
        var aim: Aim?
        var loss: Loss?
        var message: Message?
        var isOffline = false

        /// Counts a request, and returns whether it is the target.
        mutating func meets(_ request: ExchangeRequest) -> Bool {
            guard var aim = self.aim, aim.method == (request.uploads.isEmpty ? .get : .post) else { return false }
            guard aim.number == 0 else {
                aim.number -= 1
                self.aim = aim
                return false
            }
            self.aim = nil
            return true
        }
    }

    private let state: Mutex<State>

    /// The server's answer to the target exchange; nil before it, and if the server did not see the request.
    var message: Message? { self.state.withLock(\.message) }

    /// Whether the target exchange is still to come.
    var isAiming: Bool { self.state.withLock { $0.aim != nil } }

    init(_ inner: some Remote) {
        self.state = Mutex(State(inner: inner))
    }

    /// Sends the later exchanges by another remote.
    func use(_ inner: some Remote) {
        self.state.withLock { $0.inner = inner }
    }

    /// Loses an exchange, or only records the server's answer if nothing is to be lost.
    func aim(at aim: Aim, losing loss: Loss?) {
        self.state.withLock { state in
            state.aim = aim
            state.loss = loss
        }
    }

    /// Stops losing exchanges.
    func reconnect() {
        self.state.withLock { $0.isOffline = false }
    }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let (inner, isAimedAt, loss, isOffline) = self.state.withLock { state in
            let isOffline = state.isOffline
            let isAimedAt = state.meets(request)
            if isAimedAt, state.loss == .rest { state.isOffline = true }
            return (state.inner, isAimedAt, isAimedAt ? state.loss : nil, isOffline)
        }
        guard loss != .request, !isOffline else { throw RemoteFailure(.offline, "the request was lost") }
        let result: Result<ExchangeAnswer, RemoteFailure>
        do throws(RemoteFailure) {
            result = .success(try await inner.exchange(request))
        } catch {
            result = .failure(error)
        }
        if isAimedAt { self.state.withLock { $0.message = Message(result, to: request) } }
        guard loss != .answer else { throw RemoteFailure(.offline, "the answer was lost") }
        return try result.get()
    }
}

extension MessageLoser.Message {
    fileprivate init(_ result: Result<ExchangeAnswer, RemoteFailure>, to request: ExchangeRequest) {
        switch result {
        case .failure(let failure): self = .failed(failure.failureClass)
        case .success(let answer) where request.uploads.isEmpty: self = .page(hasMore: answer.hasMore)
        case .success(let answer): self = .results(answer.results.map { MessageLoser.Verdict($0.outcome) })
        }
    }
}

extension MessageLoser.Verdict {
    fileprivate init(_ outcome: UploadResult.Outcome) {
        switch outcome {
        case .accepted: self = .accepted
        case .conflicted: self = .conflicted
        case .refused: self = .refused
        case .unknown: self = .unknown
        }
    }
}
