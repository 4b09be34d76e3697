import Dispatch
import Synchronization

/// A queue with several worker threads, first in, first out.
///
/// A free worker takes the items that arrived while all workers were busy: one, or as many as belong together. It does not wait
/// for more items.
final class Lanes<Item: Sendable>: Sendable {
    private struct State {
        var waiting: [Item] = []
        var free: [Int]
    }

    private let lanes: [DispatchQueue]
    private let state: Mutex<State>
    private let share: @Sendable ([Item]) -> Int
    private let work: @Sendable ([Item]) -> Void

    /// - Parameters:
    ///   - share: How many of the waiting items a worker takes at once; at least one.
    ///   - work: Processes them.
    init(
        _ name: String, count: Int, share: @escaping @Sendable ([Item]) -> Int = { _ in 1 },
        work: @escaping @Sendable ([Item]) -> Void
    ) {
        // A separate queue for each worker: a concurrent queue would share its threads with code that blocks them.
        self.lanes = (0..<max(count, 1)).map { DispatchQueue(label: "tidemark.\(name).\($0)") }
        self.state = Mutex(State(free: Array(self.lanes.indices)))
        self.share = share
        self.work = work
    }

    /// Adds an item, which is processed after the earlier ones were begun.
    func add(_ item: Item) {
        let lane = self.state.withLock { state in
            state.waiting.append(item)
            return state.free.popLast()
        }
        guard let lane else { return }
        self.lanes[lane].async {
            while let items = self.next(for: lane) {
                self.work(items)
            }
        }
    }

    /// Waits until the workers have released the items that they processed; no item may be added after it.
    func finish() {
        for lane in self.lanes {
            lane.sync {}
        }
    }

    private func next(for lane: Int) -> [Item]? {
        self.state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free.append(lane)
                return nil
            }
            let count = min(max(self.share(state.waiting), 1), state.waiting.count)
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting.prefix(count))
        }
    }
}
