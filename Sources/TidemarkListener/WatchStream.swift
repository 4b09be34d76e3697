import CSystem
import Synchronization
import TidemarkServer

/// The stream of a watch on its connection. Its head and first events are sent by libmicrohttpd, whose thread calls
/// ``read(into:suspend:)``; then the stream leaves the library (``DetachedSocket``), and the thread that calls ``wake()`` sends
/// the hints.
///
/// With TLS, or if the process may open no more files, the stream stays: without hints the connection is suspended, and
/// ``wake()`` resumes it. In both cases a watch without hints uses no thread.
final class WatchStream: Sendable {
    /// The result of a read.
    enum Reading: Equatable {
        /// This number of bytes is available.
        case bytes(Int)
        /// No bytes are available, and the connection is suspended until it is resumed.
        case rest
        /// The stream continues without the library, which must close the connection, but not shut it down.
        case left
        /// The stream has ended.
        case end
    }

    private enum Phase {
        case writing
        case resting
        case detached(DetachedSocket)
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
        var hasLeftLibrary = false
    }

    private let watch: ServerWatch
    /// The connection of the library, until the stream has left it.
    let id: UInt
    private let socket: CInt
    /// The client's address.
    let address: ClientAddress
    private let framing: DetachedSocket.Framing?
    private let resume: @Sendable (UInt) -> Void
    private let ended: @Sendable (WatchStream) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - framing: The framing outside of the library; nil if the stream can't leave it.
    ///   - resume: Resumes the connection.
    ///   - ended: Gets the stream when it has ended outside of the library.
    init(
        _ watch: ServerWatch, id: UInt, socket: CInt, address: ClientAddress, framing: DetachedSocket.Framing?,
        resume: @escaping @Sendable (UInt) -> Void, ended: @escaping @Sendable (WatchStream) -> Void
    ) {
        self.watch = watch
        self.id = id
        self.socket = socket
        self.address = address
        self.framing = framing
        self.resume = resume
        self.ended = ended
    }

    /// True once the stream needs nothing of the library.
    var hasLeftLibrary: Bool { self.state.withLock(\.hasLeftLibrary) }

    /// Fills a buffer with the next bytes. In addition to the hints that the watch keeps, at most one event of each collection
    /// is in memory, however slowly the client reads.
    ///
    /// - Parameter suspend: Suspends the connection. It is called under the lock, so that a resume can't come before it.
    func read(into buffer: UnsafeMutableRawBufferPointer, suspend: (UInt) -> Void) -> Reading {
        self.state.withLock { state in
            if state.sent == state.bytes.count { self.refill(&state) }
            guard state.sent < state.bytes.count else {
                guard !state.isOver, !self.watch.isOver else { return .end }
                if self.leaveLibrary(&state) { return .left }
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

    /// Continues without the library, if that is possible.
    private func leaveLibrary(_ state: inout State) -> Bool {
        guard let framing = self.framing,
            let socket = DetachedSocket(duplicating: self.socket, framing: framing)
        else { return false }
        state.phase = .detached(socket)
        state.hasLeftLibrary = true
        state.bytes = []
        state.sent = 0
        return true
    }

    private func refill(_ state: inout State) {
        state.bytes = self.watch.take().flatMap(\.event)
        state.sent = 0
        if state.bytes.isEmpty, state.isHeartbeatDue { state.bytes = ServerHint.heartbeat }
        state.isHeartbeatDue = false
    }

    /// Sends the hints of the watch, or its end, or has the library do it.
    func wake() {
        self.endIfGone { self.wake(&$0) }
    }

    private func wake(_ state: inout State) {
        switch state.phase {
        case .resting:
            state.phase = .writing
            self.resume(self.id)
        case .detached(let socket):
            self.send(on: socket, &state)
        case .writing, .gone:
            break
        }
    }

    /// Sends unsent bytes, then hints. While the socket has no room, the watch keeps only the newest hint of each collection.
    private func send(on socket: DetachedSocket, _ state: inout State) {
        var socket = socket
        var sending = socket.send([])
        if sending == .all {
            self.refill(&state)
            if !state.bytes.isEmpty {
                sending = socket.send(state.bytes)
                state.lastWord = .now
            }
            state.bytes = []
        }
        if sending == .partial(progress: true) { state.lastWord = .now }
        let isOver = state.isOver || self.watch.isOver
        guard isOver || sending == .failed else {
            state.phase = .detached(socket)
            return
        }
        socket.end()
        state.phase = .gone
    }

    /// Changes the state, and ends the watch if its stream has ended outside of the library.
    private func endIfGone(_ change: (inout State) -> Void) {
        let hasEnded = self.state.withLock { state in
            guard case .detached = state.phase else {
                change(&state)
                return false
            }
            change(&state)
            guard case .gone = state.phase else { return false }
            return true
        }
        guard hasEnded else { return }
        self.watch.end()
        self.ended(self)
    }

    /// Checks the stream periodically: makes a heartbeat due after some silence, sends what the socket had no room for, and
    /// ends the stream if the client has disconnected or does not read.
    ///
    /// - Parameter timeout: How long the client may read nothing while bytes wait for it, outside of the library.
    func look(heartbeat: Duration, timeout: Duration, at now: ContinuousClock.Instant) {
        self.endIfGone { state in
            switch state.phase {
            case .resting:
                if Self.hasHungUp(self.socket) { state.isOver = true }
                state.isHeartbeatDue = now - state.lastWord >= heartbeat
                if state.isOver || state.isHeartbeatDue { self.wake(&state) }
            case .detached(let socket):
                let silence = now - state.lastWord
                if Self.hasHungUp(socket.descriptor) || !socket.isDrained && silence >= timeout { state.isOver = true }
                state.isHeartbeatDue = socket.isDrained && silence >= heartbeat
                if state.isOver || state.isHeartbeatDue || !socket.isDrained { self.wake(&state) }
            case .writing, .gone:
                break
            }
        }
    }

    private static func hasHungUp(_ socket: CInt) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, CInt(MSG_PEEK) | CInt(MSG_DONTWAIT)) == 0
    }

    private var takesBytes: Bool {
        var entry = pollfd(fd: self.socket, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&entry, 1, 0) == 1 && entry.revents == Int16(POLLOUT)
    }

    /// Ends the stream at the server's stop: a client that reads gets the end, and a client that does not read is disconnected.
    func stop() {
        self.endIfGone { state in
            state.isOver = true
            switch state.phase {
            case .resting, .detached: self.wake(&state)
            case .writing where !self.takesBytes: shutdown(self.socket, CInt(SHUT_RDWR))
            // The library reads again once it has sent its buffer, and then gets the end.
            case .writing, .gone: break
            }
        }
    }

    /// The connection of a stream in the library is closed after this returns.
    func leave() {
        self.state.withLock { state in
            if case .detached(var socket) = state.phase { socket.end() }
            state.phase = .gone
            state.bytes = []
        }
        self.watch.end()
    }
}
