import Synchronization
import Tidemark

/// Shows how far a sync is, on a terminal.
final class SyncProgress: Sendable {
    private struct State {
        /// How many records of the collection waited to be sent when its sync began.
        var toSend = 0

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
        self.state.withLock { $0.toSend = toSend }
        self.show(CollectionProgress(collection: collection, received: 0, sent: 0, isOver: false))
    }

    /// Shows how far the collection is that began last.
    func show(_ part: CollectionProgress) {
        let toSend = self.state.withLock { state in
            if part.received > 0 { state.known.insert(CodePointString(part.collection)) }
            return state.toSend
        }
        let total = Self.total(of: part, toSend: toSend)
        self.bar.show(part.sent + part.received, of: total, Self.words(for: part, toSend: toSend))
    }

    /// Whether the server showed a row of the collection, be it a deletion.
    func hasRows(of collection: String) -> Bool {
        self.state.withLock { $0.known.contains(CodePointString(collection)) }
    }

    /// Takes the bar away.
    func finish() { self.bar.finish() }

    /// How much there will have been to send and to receive; nil while the server has not said how many rows are left.
    static func total(of part: CollectionProgress, toSend: Int) -> Int? {
        part.left.map { max(toSend, part.sent) + part.received + $0 }
    }

    private static func words(for part: CollectionProgress, toSend: Int) -> String {
        // What is sent in a second round, after a merge, was not known of in the beginning.
        let all = max(toSend, part.sent)
        let sent = all == 0 ? "" : "sent \(part.sent) of \(all), "
        let received = part.left.map { "\(part.received) of \(part.received + $0)" } ?? "\(part.received)"
        return "\(part.collection): \(sent)received \(received)"
    }
}
