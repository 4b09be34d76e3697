import Dispatch
import Synchronization

/// Does what comes in on threads of its own, first come, first served.
///
/// A lane that is free takes what came in while all were at work: one thing, or as many at once as belong together. Nothing
/// waits for others to come.
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
    ///   - share: How many of those that wait are taken at once; at least one is.
    ///   - work: Does them.
    init(
        _ name: String, count: Int, share: @escaping @Sendable ([Item]) -> Int = { _ in 1 },
        work: @escaping @Sendable ([Item]) -> Void
    ) {
        // A queue each, as a queue for all would share its threads with who blocks them.
        self.lanes = (0..<max(count, 1)).map { DispatchQueue(label: "tidemark.\(name).\($0)") }
        self.state = Mutex(State(free: Array(self.lanes.indices)))
        self.share = share
        self.work = work
    }

    /// Does something soon, after all that came before it has been begun.
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

    /// Waits until the lanes have let go of what they worked with; nothing may be added any more.
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
