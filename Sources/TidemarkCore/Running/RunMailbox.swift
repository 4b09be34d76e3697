import Synchronization
import TidemarkJSON

/// What the run loop is told and has not looked at, in its order.
package final class RunMailbox: Sendable {
    private let signal = Signal()
    private let inputs = Mutex<[RunInput]>([])

    /// One that is empty.
    package init() {}

    /// To be iterated once: raised when there is something to ``take()``, and at its end when the client is closed.
    var raises: AsyncStream<Void> { self.signal.raises }

    /// Tells the loop. Edits in a row are one, and so is all that is heard on one connection.
    package func put(_ input: RunInput) {
        self.inputs.withLock { inputs in
            if case .edited(let name, _, let last) = input, case .edited(name, let first, _)? = inputs.last {
                inputs[inputs.count - 1] = .edited(name, first: first, last: last)
                return
            }
            guard case .heard(let number, let later) = input else { return inputs.append(input) }
            // At the end, since a sync may have begun or ended after what was heard before.
            guard let index = inputs.firstIndex(where: { $0.isHeard(on: number) }),
                case .heard(_, var heard) = inputs.remove(at: index)
            else { return inputs.append(input) }
            heard.add(later)
            inputs.append(.heard(number, heard))
        }
        self.signal.raise()
    }

    /// What was told since this was asked last.
    package func take() -> [RunInput] {
        self.inputs.withLock { inputs in
            defer { inputs = [] }
            return inputs
        }
    }

    /// The client is closed: the loop ends.
    func finish() { self.signal.finish() }
}

extension RunInput {
    fileprivate func isHeard(on number: Int) -> Bool {
        if case .heard(number, _) = self { true } else { false }
    }
}
