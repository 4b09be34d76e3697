import Synchronization

/// What was reported, from whatever thread.
final class Heard: Sendable {
    private let list = Mutex<[String]>([])

    var messages: [String] { self.list.withLock { $0 } }

    func add(_ message: String) {
        self.list.withLock { $0.append(message) }
    }
}
