import Synchronization
import TidemarkJSON

/// What the run loop is told and has not looked at, in its order.
final class RunMailbox: Sendable {
    private let signal = Signal()
    private let inputs = Mutex<[RunInput]>([])

    /// To be iterated once: raised when there is something to ``take()``, and at its end when the client is closed.
    var raises: AsyncStream<Void> { self.signal.raises }

    /// Tells the loop. Edits in a row are one, and of what is heard about a collection only the last is kept.
    func put(_ input: RunInput) {
        self.inputs.withLock { inputs in
            if case .edited(let name, _, let last) = input, case .edited(name, let first, _)? = inputs.last {
                inputs[inputs.count - 1] = .edited(name, first: first, last: last)
                return
            }
            if case .heard(let number, let hint) = input { inputs.removeAll { $0.isOutdone(by: hint, number) } }
            inputs.append(input)
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

extension RunInput {
    /// Whether the same was heard before about the same.
    fileprivate func isOutdone(by hint: RemoteHint, _ number: Int) -> Bool {
        switch (self, hint) {
        case (.heard(number, .alive), .alive): true
        case (.heard(number, .moved(let name, _)), .moved(let other, _)): name.hasSameCodePoints(as: other)
        default: false
        }
    }
}
