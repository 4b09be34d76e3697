import Synchronization
import Tidemark

/// Shows how far a sync is, on a terminal.
final class SyncProgress: Sendable {
    private struct State {
        var collection = ""
        var toSend = 0
        var sent = 0
        var received = 0

        /// How many rows the server has still to show; nil where it does not say.
        var left: Int?

        /// Every collection of which the server showed a row.
        var known: Set<CodePointString> = []
    }

    private let bar: ProgressBar
    private let state = Mutex(State())

    init(_ console: Console) {
        self.bar = ProgressBar(console)
    }

    /// A collection begins.
    ///
    /// - Parameter toSend: How many records wait to be sent.
    func begin(_ collection: String, toSend: Int) {
        self.update { state in
            (state.collection, state.toSend, state.sent, state.received) = (collection, toSend, 0, 0)
            state.left = nil
        }
    }

    /// An answer came.
    ///
    /// - Parameter left: How many rows follow, where the server says so.
    func add(sent: Int, received: Int, left: Int?) {
        self.update { state in
            state.sent += sent
            state.received += received
            state.left = left ?? state.left.map { max(0, $0 - received) }
            if received > 0 { state.known.insert(CodePointString(state.collection)) }
        }
    }

    /// Whether the server showed a row of the collection, be it a deletion.
    func hasRows(of collection: String) -> Bool {
        self.state.withLock { $0.known.contains(CodePointString(collection)) }
    }

    /// Takes the bar away.
    func finish() { self.bar.finish() }

    private func update(_ change: (inout State) -> Void) {
        let state = self.state.withLock { state in
            change(&state)
            return state
        }
        // What is sent in a second round, after a merge, was not known of in the beginning.
        let total = max(state.toSend, state.sent)
        let sent = total == 0 ? "" : "sent \(state.sent) of \(total), "
        let received = state.left.map { "received \(state.received) of \(state.received + $0)" }
        self.bar.show(
            state.sent + state.received, of: total + state.received + (state.left ?? 0),
            "\(state.collection): \(sent)\(received ?? "received \(state.received)")")
    }
}

/// A remote that is counted.
struct WatchedRemote: Remote {
    private let remote: any Remote
    private let progress: SyncProgress

    init(_ remote: any Remote, _ progress: SyncProgress) {
        self.remote = remote
        self.progress = progress
    }

    var capabilities: RemoteCapabilities { self.remote.capabilities }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let answer = try await self.remote.exchange(request)
        self.progress.add(sent: answer.results.count, received: answer.page.rows.count, left: answer.left)
        return answer
    }

    func hints(
        for collections: [String], hear: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> HintsEnd {
        try await self.remote.hints(for: collections, hear: hear)
    }
}
