import Synchronization
import TidemarkRules

/// The query and the limit of a live list; both may change while the list is followed.
final class ListWish: Sendable {
    private struct State {
        var query: RecordQuery?
        var limit: Int
        var signal: Signal?
    }

    private let state: Mutex<State>

    /// - Parameter query: Nil for all visible records, without a limit.
    init(_ query: RecordQuery? = nil, limit: Int = 0) {
        self.state = Mutex(State(query: query, limit: limit))
    }

    /// The query and the maximum number of records; nil for no limit.
    var current: (query: RecordQuery, limit: Int?) {
        self.state.withLock { state in state.query.map { ($0, state.limit) } ?? (RecordQuery(), nil) }
    }

    /// Changes the list, and wakes its reader.
    func set(_ query: RecordQuery?, limit: Int) {
        let signal = self.state.withLock { state in
            (state.query, state.limit) = (query, limit)
            return state.signal
        }
        signal?.raise()
    }

    /// Raises a signal at each change.
    func raise(_ signal: Signal) {
        self.state.withLock { $0.signal = signal }
    }
}
