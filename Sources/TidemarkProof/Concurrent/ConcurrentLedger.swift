import Synchronization
import TidemarkCore
import TidemarkSimulation
import TidemarkTesting
import TidemarkJSON

/// What all callers together are known to have done.
final class ConcurrentLedger: Sendable {
    struct State: Sendable {
        /// The words of edits that have returned.
        var typed: Set<Int> = []

        /// The words that a person took back: what was to be seen before an edit of theirs and not after it.
        var takenBack: Set<Int> = []

        /// What each counter has to come to.
        var sums: [String: Int] = [:]

        /// How many calls have returned without an error.
        var calls = 0

        /// How many have returned in any way.
        var returned = 0

        /// The first thing that was wrong.
        var violation: SimulationViolation?
    }

    private let state = Mutex(State())

    /// What is known now.
    var now: State { self.state.withLock { $0 } }

    /// Something has happened.
    func note(_ change: @Sendable (inout State) -> Void) { self.state.withLock { change(&$0) } }

    /// An edit or a delete has returned.
    func note(_ edit: RecordEdit, typed word: Int? = nil) {
        // An array is replaced as a whole, and then what stays in it is in both.
        let before = SimulatedWords.found(in: Array(edit.inverse.text.utf8))
        let after = SimulatedWords.found(in: Array(edit.patch.text.utf8))
        self.note { state in
            state.takenBack.formUnion(before.subtracting(after))
            if let word { state.typed.insert(word) }
        }
    }

    /// Something is wrong; the first counts.
    func report(_ violation: SimulationViolation) {
        self.note { $0.violation = $0.violation ?? violation }
    }
}
