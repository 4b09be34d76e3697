import Synchronization
import TidemarkJSON

/// What the run loop is told and has not looked at, in its order.
final class RunMailbox: Sendable {
    private let signal = Signal()
    private let inputs = Mutex<[RunInput]>([])

    /// To be iterated once: raised when there is something to ``take()``, and at its end when the client is closed.
    var raises: AsyncStream<Void> { self.signal.raises }

    /// Tells the loop. Edits in a row are one.
    func put(_ input: RunInput) {
        self.inputs.withLock { inputs in
            if case .edited(let name, _, let last) = input, case .edited(name, let first, _)? = inputs.last {
                inputs[inputs.count - 1] = .edited(name, first: first, last: last)
            } else {
                inputs.append(input)
            }
        }
        self.signal.raise()
    }

    /// What was told since this was asked last.
    func take() -> [RunInput] {
        self.inputs.withLock { inputs in
            defer { inputs = [] }
            return inputs
        }
    }

    /// The client is closed: the loop ends.
    func finish() { self.signal.finish() }
}
