import CSystem
import Synchronization
import TidemarkServer

/// A watch on its connection: it rests while there is nothing to say, and costs no thread then.
///
/// The library's thread calls ``read(into:suspend:)``; whoever has news calls ``wake()`` on another one.
final class WatchStream: Sendable {
    /// What the library is told.
    enum Reading: Equatable {
        /// So many bytes are there.
        case bytes(Int)
        /// Nothing is there, and the connection rests until it is woken.
        case rest
        /// The stream is at its end.
        case end
    }

    private enum Phase {
        case writing
        case resting
        case gone
    }

    private struct State {
        var phase = Phase.writing
        /// What was taken of the watch, and is sent bit by bit.
        var bytes: [UInt8] = []
        var sent = 0
        var lastWord = ContinuousClock.now
        var isHeartbeatDue = false
        var isOver = false
    }

    private let watch: ServerWatch
    private let id: UInt
    private let socket: CInt
    /// From where the client comes.
    let address: ClientAddress
    private let resume: @Sendable (UInt) -> Void
    private let state = Mutex(State())

    /// - Parameter resume: Wakes the connection.
    init(
        _ watch: ServerWatch, id: UInt, socket: CInt, address: ClientAddress, resume: @escaping @Sendable (UInt) -> Void
    ) {
        self.watch = watch
        self.id = id
        self.socket = socket
        self.address = address
        self.resume = resume
    }

    /// Fills a buffer with what is to be sent next. Besides what the watch keeps, one event of each collection is in memory at
    /// most, however little the client takes.
    ///
    /// - Parameter suspend: Lets the connection rest. It is called under the lock, so that nobody wakes who does not rest yet.
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

    /// There is something to say, or it is over.
    func wake() {
        self.state.withLock { self.wake(&$0) }
    }

    private func wake(_ state: inout State) {
        guard state.phase == .resting else { return }
        state.phase = .writing
        self.resume(self.id)
    }

    /// Looks after it now and then: says that it lives where nothing was said for a while, and ends it where the client is gone,
    /// which the library does not look for while the connection rests.
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

    /// The server stops: who rests or takes what is written is told the end, and who takes nothing is hung up on.
    func stop() {
        self.state.withLock { state in
            state.isOver = true
            switch state.phase {
            case .resting: self.wake(&state)
            case .writing where !self.takesBytes: shutdown(self.socket, CInt(SHUT_RDWR))
            // The library asks for more when it has sent what it has, and hears that it is over.
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
