import Synchronization
import Tidemark

/// Shows how far a sync is, on a terminal.
final class SyncProgress: Sendable {
    private struct State {
        var collection = ""
        var toSend = 0
        var sent = 0
        var received = 0
        var isDrawn = false
    }

    private static let width = 24

    private let console: Console
    private let state = Mutex(State())

    init(_ console: Console) {
        self.console = console
    }

    /// A collection begins.
    ///
    /// - Parameter toSend: How many records wait to be sent.
    func begin(_ collection: String, toSend: Int) {
        self.update { state in
            (state.collection, state.toSend, state.sent, state.received) = (collection, toSend, 0, 0)
        }
    }

    /// An answer came.
    func add(sent: Int, received: Int) {
        self.update { state in
            state.sent += sent
            state.received += received
        }
    }

    /// Takes the bar away.
    func finish() {
        let wasDrawn = self.state.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { self.console.draw("") }
    }

    private func update(_ change: (inout State) -> Void) {
        let line = self.state.withLock { state in
            change(&state)
            state.isDrawn = self.console.isWatched
            return Self.line(state)
        }
        if self.console.isWatched { self.console.draw(line) }
    }

    private static func line(_ state: State) -> String {
        // What is sent in a second round, after a merge, was not known of in the beginning.
        let total = max(state.toSend, state.sent)
        let full = total == 0 ? self.width : self.width * state.sent / total
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: self.width - full)
        return "[\(bar)] \(state.collection): sent \(state.sent) of \(total), received \(state.received)"
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

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let answer = try await self.remote.exchange(request)
        self.progress.add(sent: answer.results.count, received: answer.page.rows.count)
        return answer
    }
}
