import Synchronization
import TidemarkJSON

/// Counts what a client tells its watchers, for a reader that asks from time to time whether anything has changed.
package final class ChangeCounter: Sendable {
    private final class Counting: Watcher {
        let count = Mutex(0)

        func tell(_ change: RecordChange) { self.touchAll() }
        func touch(_ name: CodePointString) { self.touchAll() }
        func touchAll() { self.count.withLock { $0 += 1 } }
        func finish() { self.touchAll() }
    }

    private let subscription: Subscription<Counting>

    /// Counts from now on.
    package init(_ client: SyncClient) {
        self.subscription = client.hub.watch(.client, Counting())
    }

    /// How many changes there were; with another number than before, something may have changed.
    package var count: Int { self.subscription.watcher.count.withLock(\.self) }
}
