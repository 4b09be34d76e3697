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

    init(_ query: RecordQuery?, limit: Int) {
        self.state = Mutex(State(query: query, limit: limit))
    }

    /// The query; nil for all visible records, without a limit.
    var query: RecordQuery? { self.state.withLock { $0.query } }

    var limit: Int { self.state.withLock { $0.limit } }

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
