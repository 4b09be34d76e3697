import Synchronization
import TidemarkJSON
import TidemarkRules

/// A receiver of changes. It is called on the client's actor: it stores the change, and returns.
protocol Watcher: Sendable {
    /// The app is notified of a change.
    func tell(_ change: RecordChange)

    /// The item with this name may have changed.
    func touch(_ name: CodePointString)

    /// Any item may have changed.
    func touchAll()

    /// There will be no more changes.
    func finish()
}

/// A watcher that keeps the changes that the app is notified of, in order.
final class ChangeListener: Watcher {
    let signal = Signal()
    private let queue = Mutex(ChangeQueue())

    /// Removes and returns the oldest change, or nil.
    func next() -> CollectionChange? {
        self.queue.withLock { $0.next() }
    }

    func tell(_ change: RecordChange) {
        self.queue.withLock { $0.append(change) }
        self.signal.raise()
    }

    /// Ignored: this watcher delivers only changes that the app is notified of, not each new phase.
    func touch(_ name: CodePointString) {}

    func touchAll() {
        self.queue.withLock { $0.appendAll() }
        self.signal.raise()
    }

    func finish() { self.signal.finish() }
}
