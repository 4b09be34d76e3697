import Dispatch
import Foundation
import Synchronization
import TidemarkListener

/// A file to which the server adds a line for each request. After the file is moved away, SIGHUP makes the server open a
/// new one.
///
/// Lines are written on a separate queue: a slow disk, or a pipe whose reader is blocked, delays no request. Lines that
/// can't be written are lost and counted, and the server continues.
final class AccessLog: Sendable {
    /// The largest number of unwritten bytes; a line beyond it is lost.
    static let mostWaiting = 1 << 20

    private struct State {
        /// The bytes for the open file, and then, if a new file is requested, those for the new one.
        var waiting: [UInt8] = []
        var waitingForNext: [UInt8]?
        /// How many lines were lost since the log last reported losses.
        var lost = 0
        var isWriting = false

        mutating func append(_ line: [UInt8]) {
            if self.waitingForNext == nil { self.waiting += line } else { self.waitingForNext? += line }
        }
    }

    /// The next task of the queue.
    private enum Task {
        case write([UInt8])
        case beginAnew
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "tidemark access log")
    private let file: Mutex<LogFile>
    private let say: @Sendable (String) -> Void

    /// Opens the file, or creates it; only its owner can read it.
    ///
    /// - Parameter say: Is called with a message when the file can't be written.
    init(_ path: String, say: @escaping @Sendable (String) -> Void) throws(CommandFailure) {
        self.file = Mutex(try LogFile(path, say: say))
        self.say = say
    }

    /// Queues a line; returns before it is written.
    func add(_ entry: AccessEntry) {
        let line = entry.line + [UInt8(ascii: "\n")]
        let isToBegin = self.state.withLock { state in
            guard state.waiting.count + (state.waitingForNext?.count ?? 0) + line.count <= Self.mostWaiting else {
                state.lost += 1
                return false
            }
            if state.lost > 0 { state.append(Self.line(ofLost: &state.lost)) }
            state.append(line)
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
        while let task = self.next() {
            switch task {
            case .write(let lines):
                let lost = self.file.withLock { $0.write(lines) }
                if lost > 0 { self.state.withLock { $0.lost += lost } }
            case .beginAnew: self.file.withLock { $0.reopen() }
            }
        }
    }

    private func next() -> Task? {
        self.state.withLock { state in
            let lines = state.waiting
            state.waiting = []
            guard lines.isEmpty else { return .write(lines) }
            guard let next = state.waitingForNext.take() else {
                state.isWriting = false
                return nil
            }
            state.waiting = next
            return .beginAnew
        }
    }

    /// ``add(_:)``, for a listener.
    var note: @Sendable (AccessEntry) -> Void { { entry in self.add(entry) } }

    /// Writes later lines to the file that has the name now. If it can't be opened, the open file stays in use.
    func reopen() {
        let isToBegin = self.state.withLock { state in
            state.waiting += state.waitingForNext ?? []
            state.waitingForNext = []
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isToBegin { self.queue.async { self.work() } }
    }

    /// Waits until everything is written, for a second at most: the reader of a pipe can be blocked.
    func finish() {
        let isDone = DispatchSemaphore(value: 0)
        self.queue.async {
            let lost = self.state.withLock { $0.lost > 0 ? Self.line(ofLost: &$0.lost) : [] }
            if !lost.isEmpty { self.file.withLock { _ = $0.write(lost) } }
            isDone.signal()
        }
        if isDone.wait(timeout: .now() + 1) == .timedOut {
            self.say("the access log can't be written; its last lines are lost")
        }
    }
}

/// The file of a log.
private struct LogFile: ~Copyable {
    private let path: String
    private let say: @Sendable (String) -> Void
    private var descriptor: Int32
    /// True if the last line is incomplete, as when the disk was full in the middle of it.
    private var isTorn = false
    /// True if a failure was reported and no write has succeeded since then.
    private var hasComplained = false

    init(_ path: String, say: @escaping @Sendable (String) -> Void) throws(CommandFailure) {
        let descriptor = Self.open(path)
        guard descriptor >= 0 else { throw CommandFailure("\(path): the log can't be written there: \(Self.reason)") }
        do throws(CommandFailure) {
            try PrivateFile.tighten(descriptor, path)
        } catch {
            close(descriptor)
            throw error
        }
        self.path = path
        self.say = say
        self.descriptor = descriptor
    }

    deinit { close(self.descriptor) }

    /// Writes complete lines; returns when the file has them.
    ///
    /// - Returns: How many lines are lost, including one that was cut.
    mutating func write(_ lines: [UInt8]) -> Int {
        var rest = lines[...]
        if self.isTorn { rest.insert(UInt8(ascii: "\n"), at: rest.startIndex) }
        let end = rest.endIndex
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(self.descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                self.complain()
                return lines.suffix(end - rest.startIndex).count { $0 == UInt8(ascii: "\n") }
            }
            self.isTorn = rest[rest.startIndex + count - 1] != UInt8(ascii: "\n")
            rest.removeFirst(count)
        }
        self.hasComplained = false
        return 0
    }

    private mutating func complain() {
        guard !self.hasComplained else { return }
        self.hasComplained = true
        self.say("\(self.path): lines are lost until it can be written again: \(Self.reason)")
    }

    mutating func reopen() {
        let next = Self.open(self.path)
        guard next >= 0 else {
            let reason = Self.reason
            return self.say(
                "SIGHUP: \(self.path): the log can't be written there, so the former file stays in use: \(reason)")
        }
        do throws(CommandFailure) {
            try PrivateFile.tighten(next, self.path)
        } catch {
            close(next)
            return self.say("SIGHUP: \(error). The former file stays in use")
        }
        close(self.descriptor)
        self.descriptor = next
        self.isTorn = false
    }

    private static var reason: String {
        errno == ENXIO ? "no process reads this pipe; start its reader first" : String(cString: strerror(errno))
    }

    /// A pipe without a reader is an error; opening it does not block. No file is made through a symbolic link.
    private static func open(_ path: String) -> Int32 {
        let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK
        var descriptor = Foundation.open(path, flags | O_CREAT | O_EXCL, 0o600)
        if descriptor < 0, errno == EEXIST { descriptor = Foundation.open(path, flags) }
        guard descriptor >= 0 else { return descriptor }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }
}
