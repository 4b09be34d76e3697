import Synchronization
import Testing

@testable import TidemarkListener

@Suite("Worker queues", .timeLimit(.minutes(10)))
struct LanesTests {
    private static func taken(share: @escaping @Sendable ([Int]) -> Int) -> [[Int]] {
        let gate = Gate()
        let taken = Mutex<[[Int]]>([])
        let lanes = Lanes<Int>("test", count: 1, share: share) { items in
            gate.pass()
            taken.withLock { $0.append(items) }
        }
        lanes.add(0)
        gate.awaitArrival()
        for item in 1...5 {
            lanes.add(item)
        }
        gate.open()
        lanes.finish()
        return taken.withLock { $0 }
    }

    @Test func `items that arrive while all workers are busy are taken together, in order`() {
        #expect(Self.taken { $0.count } == [[0], [1, 2, 3, 4, 5]])
    }

    @Test func `a worker takes at most the items that belong together, and at least one`() {
        #expect(Self.taken { _ in 2 } == [[0], [1, 2], [3, 4], [5]])
        #expect(Self.taken { _ in 0 } == [[0], [1], [2], [3], [4], [5]])
    }

    @Test func `a free worker does not wait for a busy one`() {
        let gate = Gate()
        let done = Gate()
        let lanes = Lanes<Bool>("test", count: 2) { items in
            if items == [true] { gate.pass() } else { done.open() }
        }
        lanes.add(true)
        gate.awaitArrival()
        lanes.add(false)
        done.pass()
        gate.open()
        lanes.finish()
    }
}
