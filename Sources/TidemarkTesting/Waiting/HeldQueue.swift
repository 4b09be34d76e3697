import Synchronization

/// The elements that a network holds for a test, the oldest first, and the calls that wait for one.
final class HeldQueue<Element: Sendable>: Sendable {
    private struct Call {
        let number: Int
        let continuation: CheckedContinuation<Element?, Never>
    }

    private struct State {
        var elements: [Element] = []
        var lastNumber = 0
        var calls: [Call] = []
    }

    private let state = Mutex(State())

    /// The number of elements that were put and not taken.
    var count: Int { self.state.withLock { $0.elements.count } }

    /// Passes an element to the call that has waited longest, or stores it.
    func put(_ element: Element) {
        let call = self.state.withLock { state -> Call? in
            guard state.calls.isEmpty else { return state.calls.removeFirst() }
            state.elements.append(element)
            return nil
        }
        call?.continuation.resume(returning: element)
    }

    /// Returns the oldest element; waits until there is one. Nil if the task is cancelled first.
    func take() async -> Element? {
        let number = self.state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let element = self.state.withLock { state -> Element? in
                    guard state.elements.isEmpty else { return state.elements.removeFirst() }
                    state.calls.append(Call(number: number, continuation: continuation))
                    return nil
                }
                if let element { continuation.resume(returning: element) }
                // Cancelled before the call was in the list: the handler found no call to end.
                if Task.isCancelled { self.end(number) }
            }
        } onCancel: {
            self.end(number)
        }
    }

    private func end(_ number: Int) {
        let call = self.state.withLock { state -> Call? in
            guard let index = state.calls.firstIndex(where: { $0.number == number }) else { return nil }
            return state.calls.remove(at: index)
        }
        call?.continuation.resume(returning: nil)
    }
}
