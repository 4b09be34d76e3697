import CSystem
import Dispatch
import Synchronization

/// Reads and discards the bytes that a client sends after it was refused (RFC 9112 §9.6).
///
/// Closing a socket with unread bytes resets the connection, and a client that is still sending would get the reset instead of
/// the answer.
enum LingeringClose {
    private static let mostAtOnce = 16
    private static let mostBytes = 256 << 20
    private static let longest: Duration = .seconds(5)
    private static let count = Atomic(0)

    /// Duplicates the descriptor, so that the owner may close its own; does nothing if too many sockets linger already.
    static func begin(_ socket: CInt, timeout: Duration) {
        guard self.count.load(ordering: .relaxed) < self.mostAtOnce else { return }
        let own = dup(socket)
        guard own >= 0 else { return }
        self.count.add(1, ordering: .relaxed)
        // A separate queue: the global queues have one thread for each core, and a stop waits for one of these threads, too.
        DispatchQueue(label: "tidemark.lingering").async {
            self.drain(own, until: .now + min(timeout, self.longest))
            close(own)
            self.count.subtract(1, ordering: .relaxed)
        }
    }

    private static func drain(_ socket: CInt, until deadline: ContinuousClock.Instant) {
        var scratch = [UInt8](repeating: 0, count: 64 << 10)
        var read = 0
        while read < self.mostBytes {
            let left = ContinuousClock.now.duration(to: deadline).components
            let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            guard milliseconds > 0, unsafe poll(&entry, 1, CInt(milliseconds)) > 0 else { return }
            let count = unsafe recv(socket, &scratch, scratch.count, 0)
            guard count > 0 else { return }
            read += count
        }
    }
}
