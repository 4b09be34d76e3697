import Synchronization
import TidemarkCore
import TidemarkMachine
import TidemarkTesting

/// A remote for a server in this process that a test can make fail, and that counts its requests.
final class SwitchedRemote: Remote {
    let capabilities = RemoteCapabilities.native

    private struct State {
        var server: InProcessServer
        var failure: RemoteFailure?
        var times: [Duration] = []
    }

    private let state: Mutex<State>
    /// The source of hints; nil if there are no hints.
    private let hints: (any Remote)?

    init(_ server: InProcessServer, hints: (any Remote)? = nil) {
        self.state = Mutex(State(server: server))
        self.hints = hints
    }

    var hasHints: Bool { self.hints != nil }

    /// The number of requests.
    var count: Int { self.times.count }

    /// The time of each request, by the server's clock.
    var times: [Duration] { self.state.withLock { $0.times } }

    /// Makes the requests from now on fail; nil lets them succeed again.
    func fail(_ failure: RemoteFailure?) { self.state.withLock { $0.failure = failure } }

    /// Makes another server answer from now on.
    func lead(to server: InProcessServer) { self.state.withLock { $0.server = server } }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let (server, failure) = self.state.withLock { state in
            state.times.append(state.server.clock.now)
            return (state.server, state.failure)
        }
        if let failure { throw failure }
        return try await InProcessRemote(server).exchange(request)
    }

    func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        guard let hints else { return .never }
        if let failure = self.state.withLock(\.failure) { throw failure }
        return try await hints.hints(for: collections, onHint: onHint)
    }
}

extension RemoteFailure {
    /// The cable is out.
    static let noCable = RemoteFailure(.offline, "The cable is out.")

    /// The token is old.
    static let oldToken = RemoteFailure(.auth, "The token is old.")
}
