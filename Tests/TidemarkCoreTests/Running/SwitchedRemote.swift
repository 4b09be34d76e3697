import Synchronization
import TidemarkCore
import TidemarkMachine
import TidemarkTesting

/// A way to a server in this process that a test can cut, and whose requests are counted.
final class SwitchedRemote: Remote {
    private struct State {
        var server: InProcessServer
        var failure: RemoteFailure?
        var times: [Duration] = []
    }

    private let state: Mutex<State>
    /// Where hints come from; nil where there are none.
    private let hints: (any Remote)?

    init(_ server: InProcessServer, hints: (any Remote)? = nil) {
        self.state = Mutex(State(server: server))
        self.hints = hints
    }

    var hasHints: Bool { self.hints != nil }

    /// How many requests were made.
    var count: Int { self.times.count }

    /// When each of them was, by the server's clock.
    var times: [Duration] { self.state.withLock { $0.times } }

    /// From now on requests fail; nil lets them through.
    func fail(_ failure: RemoteFailure?) { self.state.withLock { $0.failure = failure } }

    /// From now on another server answers.
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
        for collections: [String], hear: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> HintsEnd {
        guard let hints else { return .never }
        if let failure = self.state.withLock(\.failure) { throw failure }
        return try await hints.hints(for: collections, hear: hear)
    }
}

extension RemoteFailure {
    /// The cable is out.
    static let noCable = RemoteFailure(.offline, "The cable is out.")

    /// The token is old.
    static let oldToken = RemoteFailure(.auth, "The token is old.")
}
