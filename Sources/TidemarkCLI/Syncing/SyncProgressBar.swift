import Synchronization
import Tidemark

/// Shows the progress of a sync on a terminal.
final class SyncProgressBar: Sendable {
    private struct State {
        /// How many records of the collection were unsent at the start of its sync.
        var toSend = 0

        /// Every collection of which the server sent a row.
        var known: Set<CodePointString> = []
    }

    private let bar: ProgressBar
    private let state = Mutex(State())

    init(_ console: Console) {
        self.bar = ProgressBar(console)
    }

    /// Starts the progress of a collection.
    ///
    /// - Parameter toSend: How many records are unsent.
    func begin(_ collection: String, toSend: Int) {
        self.state.withLock { $0.toSend = toSend }
        self.show(SyncStatus.CollectionProgress(collection: collection, received: 0, sent: 0, isOver: false))
    }

    /// Shows the progress of the current collection.
    func show(_ part: SyncStatus.CollectionProgress) {
        let toSend = self.state.withLock { state in
            if part.received > 0 { state.known.insert(CodePointString(part.collection)) }
            return state.toSend
        }
        let total = Self.total(of: part, toSend: toSend)
        self.bar.show(part.sent + part.received, of: total, Self.words(for: part, toSend: toSend))
    }

    /// Whether the server sent a row of the collection; a deletion counts.
    func hasRows(of collection: String) -> Bool {
        self.state.withLock { $0.known.contains(CodePointString(collection)) }
    }

    /// Removes the bar.
    func finish() { self.bar.finish() }

    /// The total number of rows to send and to receive; nil while the number of remaining rows is unknown.
    static func total(of part: SyncStatus.CollectionProgress, toSend: Int) -> Int? {
        part.left.map { max(toSend, part.sent) + part.received + $0 }
    }

    private static func words(for part: SyncStatus.CollectionProgress, toSend: Int) -> String {
        // After a merge a sync sends more than was unsent at its start.
        let all = max(toSend, part.sent)
        let sent = all == 0 ? "" : "sent \(part.sent) of \(all), "
        let expected = part.left.map { part.received + $0 }
        guard part.received > 0 || (expected ?? 0) > 0 || all == 0 else {
            return "\(part.collection): sent \(part.sent) of \(all)"
        }
        let received = expected.map { "\(part.received) of \($0)" } ?? "\(part.received)"
        return "\(part.collection): \(sent)received \(received)"
    }
}
