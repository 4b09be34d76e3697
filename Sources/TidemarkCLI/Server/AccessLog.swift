import Dispatch
import Foundation
import Synchronization
import TidemarkListener

/// Writes a line to standard output for each request of the server.
///
/// Lines are written on a separate queue: a slow disk, or a pipe whose reader is blocked, delays no request. Lines that
/// can't be written are lost and counted, and the server continues.
final class AccessLog: Sendable {
    /// The largest number of unwritten bytes; a line beyond it is lost.
    static let mostWaiting = 1 << 20

    private struct State {
        var waiting: [UInt8] = []
        /// How many lines were lost since the log last reported losses.
        var lost = 0
        var isWriting = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "tidemark access log")
    private let output: Mutex<LogOutput>
    private let say: @Sendable (String) -> Void

    /// - Parameter say: Is called with a message when lines can't be written.
    init(say: @escaping @Sendable (String) -> Void) {
        self.output = Mutex(LogOutput(say: say))
        self.say = say
    }

    /// Queues a line; returns before it is written.
    func add(_ entry: AccessEntry) {
        let line = entry.line + [UInt8(ascii: "\n")]
        let isToBegin = self.state.withLock { state in
            guard state.waiting.count + line.count <= Self.mostWaiting else {
                state.lost += 1
                return false
            }
            if state.lost > 0 { state.waiting += Self.line(ofLost: &state.lost) }
            state.waiting += line
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isToBegin { self.queue.async { self.work() } }
    }

    private static func line(ofLost count: inout Int) -> [UInt8] {
        defer { count = 0 }
        return Array(#"{"lost":\#(count)}"#.utf8) + [UInt8(ascii: "\n")]
    }

    private func work() {
        while let lines = self.next() {
            let lost = self.output.withLock { $0.write(lines) }
            if lost > 0 { self.state.withLock { $0.lost += lost } }
        }
    }

    private func next() -> [UInt8]? {
        self.state.withLock { state in
            state.isWriting = !state.waiting.isEmpty
            defer { state.waiting = [] }
            return state.isWriting ? state.waiting : nil
        }
    }

    /// ``add(_:)``, for a listener.
    var note: @Sendable (AccessEntry) -> Void { { entry in self.add(entry) } }

    /// Waits until everything is written, for a second at most: the reader of a pipe can be blocked.
    func finish() {
        let isDone = DispatchSemaphore(value: 0)
        self.queue.async {
            let lost = self.state.withLock { $0.lost > 0 ? Self.line(ofLost: &$0.lost) : [] }
            if !lost.isEmpty { self.output.withLock { _ = $0.write(lost) } }
            isDone.signal()
        }
        if isDone.wait(timeout: .now() + 1) == .timedOut {
            self.say("the access log can't be written; its last lines are lost")
        }
    }
}

/// Standard output, as a log.
private struct LogOutput {
    let say: @Sendable (String) -> Void
    /// True if the last line is incomplete, as when the disk was full in the middle of it.
    private var isTorn = false
    /// True if a failure was reported and no write has succeeded since then.
    private var hasComplained = false

    init(say: @escaping @Sendable (String) -> Void) {
        self.say = say
    }

    /// Writes complete lines; returns when the system has them.
    ///
    /// - Returns: How many lines are lost, including one that was cut.
    mutating func write(_ lines: [UInt8]) -> Int {
        var rest = lines[...]
        if self.isTorn { rest.insert(UInt8(ascii: "\n"), at: rest.startIndex) }
        let end = rest.endIndex
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A pipe that another process made non-blocking.
            if count < 0, errno == EAGAIN, Self.waitForReader() { continue }
            guard count > 0 else {
                self.complain(String(cString: strerror(errno)))
                return lines.suffix(end - rest.startIndex).count { $0 == UInt8(ascii: "\n") }
            }
            self.isTorn = rest[rest.startIndex + count - 1] != UInt8(ascii: "\n")
            rest.removeFirst(count)
        }
        self.hasComplained = false
        return 0
    }

    private static func waitForReader() -> Bool {
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&output, 1, -1) == 1 && output.revents & Int16(POLLOUT) != 0
    }

    private mutating func complain(_ reason: String) {
        guard !self.hasComplained else { return }
        self.hasComplained = true
        self.say("standard output: lines of the access log are lost until it can be written again: \(reason)")
    }
}
