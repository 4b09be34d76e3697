import Synchronization
import TidemarkCore
import TidemarkSimulation
import TidemarkTesting
import TidemarkJSON

/// The completed work of all callers.
final class ConcurrentLedger: Sendable {
    struct State: Sendable {
        /// The words of edits that have returned.
        var typed: Set<Int> = []

        /// The words that the user removed: visible before an edit of this device and not after it.
        var takenBack: Set<Int> = []

        /// The expected value of each counter.
        var sums: [String: Int] = [:]

        /// How many calls have returned without an error.
        var calls = 0

        /// How many calls have returned, with or without an error.
        var returned = 0

        /// The first violation.
        var violation: SimulationViolation?
    }

    private let state = Mutex(State())

    /// The present state.
    var now: State { self.state.withLock { $0 } }

    /// Changes the state.
    func note(_ change: @Sendable (inout State) -> Void) { self.state.withLock { change(&$0) } }

    /// Stores the result of an edit or a delete.
    func note(_ edit: RecordEdit, typed word: Int? = nil) {
        // An array is replaced as a whole, so its unchanged elements are in both values.
        let before = SimulatedWords.found(in: Array(edit.inverse.text.utf8))
        let after = SimulatedWords.found(in: Array(edit.patch.text.utf8))
        self.note { state in
            state.takenBack.formUnion(before.subtracting(after))
            if let word { state.typed.insert(word) }
        }
    }

    /// Reports a violation; only the first is kept.
    func report(_ violation: SimulationViolation) {
        self.note { $0.violation = $0.violation ?? violation }
    }
}
