import Synchronization
import TidemarkJSON

/// The queue of inputs that the run loop has not processed, in order.
package final class RunMailbox: Sendable {
    private let signal = Signal()
    private let inputs = Mutex<[RunInput]>([])

    /// Makes an empty queue.
    package init() {}

    /// A signal, to be iterated once: raised when there are inputs to ``take()``; it ends when the client is closed.
    var raises: AsyncStream<Void> { self.signal.raises }

    /// Adds an input. Consecutive edits of a collection are combined, and so are all events of one connection.
    package func put(_ input: RunInput) {
        self.inputs.withLock { inputs in
            if case .edited(let name, _, let last) = input, case .edited(name, let first, _)? = inputs.last {
                inputs[inputs.count - 1] = .edited(name, first: first, last: last)
                return
            }
            guard case .heard(let number, let later) = input else { return inputs.append(input) }
            // Moved to the end, because a sync may have begun or ended after the earlier events.
            guard let index = inputs.firstIndex(where: { $0.isHeard(on: number) }),
                case .heard(_, var heard) = inputs.remove(at: index)
            else { return inputs.append(input) }
            heard.add(later)
            inputs.append(.heard(number, heard))
        }
        self.signal.raise()
    }

    /// Returns the inputs since the last call.
    package func take() -> [RunInput] {
        self.inputs.withLock { inputs in
            defer { inputs = [] }
            return inputs
        }
    }

    /// Ends the loop, because the client is closed.
    func finish() { self.signal.finish() }
}

extension RunInput {
    fileprivate func isHeard(on number: Int) -> Bool {
        if case .heard(number, _) = self { true } else { false }
    }
}
