import Synchronization

/// Collects reported errors from any thread.
final class Heard: Sendable {
    private let list = Mutex<[String]>([])

    var messages: [String] { self.list.withLock { $0 } }

    func add(_ message: String) {
        self.list.withLock { $0.append(message) }
    }
}
