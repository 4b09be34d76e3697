import CSystem
import Synchronization
import TidemarkServer

/// The stream of a watch on its connection: without hints the connection is suspended, and then uses no thread.
///
/// The library's thread calls ``read(into:suspend:)``; another thread that has hints calls ``wake()``.
final class WatchStream: Sendable {
    /// The result of a read.
    enum Reading: Equatable {
        /// This number of bytes is available.
        case bytes(Int)
        /// No bytes are available, and the connection is suspended until it is resumed.
        case rest
        /// The stream has ended.
        case end
    }

    private enum Phase {
        case writing
        case resting
        case gone
    }

    private struct State {
        var phase = Phase.writing
        /// The bytes of the hints that were taken from the watch, sent piece by piece.
        var bytes: [UInt8] = []
        var sent = 0
        var lastWord = ContinuousClock.now
        var isHeartbeatDue = false
        var isOver = false
    }

    private let watch: ServerWatch
    private let id: UInt
    private let socket: CInt
    /// The client's address.
    let address: ClientAddress
    private let resume: @Sendable (UInt) -> Void
    private let state = Mutex(State())

    /// - Parameter resume: Resumes the connection.
    init(
        _ watch: ServerWatch, id: UInt, socket: CInt, address: ClientAddress, resume: @escaping @Sendable (UInt) -> Void
    ) {
        self.watch = watch
        self.id = id
        self.socket = socket
        self.address = address
        self.resume = resume
    }

    /// Fills a buffer with the next bytes. In addition to the hints that the watch keeps, at most one event of each collection
    /// is in memory, however slowly the client reads.
    ///
    /// - Parameter suspend: Suspends the connection. It is called under the lock, so that a resume can't come before it.
    func read(into buffer: UnsafeMutableRawBufferPointer, suspend: (UInt) -> Void) -> Reading {
        self.state.withLock { state in
            if state.sent == state.bytes.count { self.refill(&state) }
            guard state.sent < state.bytes.count else {
                guard !state.isOver, !self.watch.isOver else { return .end }
                suspend(self.id)
                state.phase = .resting
                return .rest
            }
            let count = min(buffer.count, state.bytes.count - state.sent)
            unsafe buffer.copyBytes(from: state.bytes[state.sent..<(state.sent + count)])
            state.sent += count
            state.lastWord = .now
            return .bytes(count)
        }
    }

    private func refill(_ state: inout State) {
        state.bytes = self.watch.take().flatMap(\.event)
        state.sent = 0
        if state.bytes.isEmpty, state.isHeartbeatDue { state.bytes = ServerHint.heartbeat }
        state.isHeartbeatDue = false
    }

    /// Resumes the connection, since there are hints or the watch is over.
    func wake() {
        self.state.withLock { self.wake(&$0) }
    }

    private func wake(_ state: inout State) {
        guard state.phase == .resting else { return }
        state.phase = .writing
        self.resume(self.id)
    }

    /// Checks the stream periodically: makes a heartbeat due after some silence, and ends the stream if the client has
    /// disconnected, which the library does not detect while the connection is suspended.
    func look(heartbeat: Duration, at now: ContinuousClock.Instant) {
        self.state.withLock { state in
            guard state.phase == .resting else { return }
            if self.hasHungUp { state.isOver = true }
            state.isHeartbeatDue = now - state.lastWord >= heartbeat
            if state.isOver || state.isHeartbeatDue { self.wake(&state) }
        }
    }

    private var hasHungUp: Bool {
        var byte: UInt8 = 0
        return unsafe recv(self.socket, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) == 0
    }

    private var takesBytes: Bool {
        var entry = pollfd(fd: self.socket, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1 && entry.revents == Int16(POLLOUT)
    }

    /// Ends the stream at the server's stop: a client that reads gets the end, and a client that does not read is disconnected.
    func stop() {
        self.state.withLock { state in
            state.isOver = true
            switch state.phase {
            case .resting: self.wake(&state)
            case .writing where !self.takesBytes: shutdown(self.socket, CInt(SHUT_RDWR))
            // The library reads again once it has sent its buffer, and then gets the end.
            case .writing, .gone: break
            }
        }
    }

    /// The connection is closed after this returns.
    func leave() {
        self.state.withLock { state in
            state.phase = .gone
            state.bytes = []
        }
        self.watch.end()
    }
}
