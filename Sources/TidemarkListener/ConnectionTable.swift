import CSystem
import Dispatch
import Synchronization
import TidemarkServer

/// The open connections, with the answer and the deadline of each.
///
/// libmicrohttpd only detects silence; a client that sends single bytes could keep its place for hours. So each step of a
/// request has a deadline here, and a connection that misses it is shut down (W10).
final class ConnectionTable: Sendable {
    /// A class, used only under the lock of the table: a struct would be copied out of the table and back at each step of a
    /// request.
    final class Connection {
        let socket: CInt
        let address: ClientAddress
        /// True for a connection that gets only a refusal, since the limit of connections is reached.
        let isRefused: Bool
        /// Since when it has no request; nil while it has one.
        var idleSince: ContinuousClock.Instant?
        /// True after it was shut down, until the daemon closes it.
        var isLeaving = false
        var deadline: ContinuousClock.Instant
        /// The time when the step of the deadline began.
        var stepBegan: ContinuousClock.Instant
        var request: IncomingRequest?
        /// The data that is kept of the request until it is answered.
        var record: RequestRecord?
        /// True from the hand-over of its request until its answer is fetched: meanwhile the client has no deadline.
        var isWaiting = false
        /// The answer, once it is made.
        var answer: ServerAnswer?
        /// The bytes of its body or of its answer in memory.
        var held = 0
        /// The account of that answer; nil for a body.
        var account: String?

        init(
            socket: CInt, address: ClientAddress, isRefused: Bool, now: ContinuousClock.Instant,
            deadline: ContinuousClock.Instant
        ) {
            self.socket = socket
            self.address = address
            self.isRefused = isRefused
            self.idleSince = now
            self.deadline = deadline
            self.stepBegan = now
        }
    }

    struct State {
        var connections: [UInt: Connection] = [:]
        /// The connections that wait for hints; they are not in `connections`.
        var watches: [UInt: WatchStream] = [:]
        /// The watches that have left the library.
        var detachedWatches: [ObjectIdentifier: WatchStream] = [:]
        /// The number of both by address, without zeros.
        var watchesFrom: [ClientAddress: Int] = [:]
        var requests = 0
        var isStopping = false
        /// The number of connections that wait for an answer.
        var waiting = 0
        /// The bytes of bodies and answers in memory, for all connections.
        var held = 0
        /// The bytes of the answers of each account, without zeros.
        var heldFor: [String: Int] = [:]
        /// True when the daemon is about to end: then no connection may wait for an answer any more.
        var isOver = false
    }

    let state = Mutex(State())
    private let allAnswered = DispatchSemaphore(value: 0)
    let settings: ListenerSettings

    /// The most watches, in addition to the connections with requests.
    let watchPlaces: Int

    init(_ settings: ListenerSettings, watchPlaces: Int) {
        self.settings = settings
        self.watchPlaces = watchPlaces
    }

    /// True after ``stopAndWait()``: answers then close their connections.
    var isStopping: Bool { self.state.withLock { $0.isStopping } }

    /// The number of open connections.
    var count: Int { self.state.withLock { $0.connections.count + $0.watchCount } }

    func opened(_ id: UInt, socket: CInt) {
        let now = ContinuousClock.now
        let address = ClientAddress(of: socket)
        self.state.withLock { state in
            let hasPlace = state.makePlace(for: address, self.settings)
            let timeout =
                hasPlace
                ? self.settings.clientTimeout : min(self.settings.refusalTimeout, self.settings.clientTimeout)
            state.connections[id] = Connection(
                socket: socket, address: address, isRefused: !hasPlace, now: now, deadline: now + timeout)
        }
    }

    /// The socket is closed after this returns, so that no later socket with its number is shut down.
    func closed(_ id: UInt) {
        if let stream = self.state.withLock({ $0.removeWatch(id) }) { return stream.leave() }
        self.state.withLock { state in
            guard let connection = state.connections.removeValue(forKey: id) else { return }
            // The library does not do that (see `Daemon`); a client that was refused must get the end before its socket is drained.
            if self.settings.identity == nil { shutdown(connection.socket, CInt(SHUT_WR)) }
            if connection.isWaiting { state.waiting -= 1 }
            // The answer of the connection may have been made after its request was abandoned.
            state.hold(0, of: nil, for: connection)
        }
    }

    /// The first line of a request arrived.
    func began(_ id: UInt, target: String, place: Range<UInt>) {
        self.state.withLock { state in
            state.requests += 1
            state.connections[id]?.idleSince = nil
            let isRefused = state.connections[id]?.isRefused ?? false
            state.connections[id]?.request = IncomingRequest(
                target: target, place: place, isRefused: isRefused)
        }
        self.extend(id, forBytes: 0, isNewStep: true)
    }

    /// The request was answered completely, or abandoned.
    func completed(_ id: UInt) {
        self.completedWatch(id)
        // Twice the time: for the silence between two requests, and for the head of the next one.
        self.extend(id, forBytes: 0, isNewStep: true, timeout: self.settings.clientTimeout * 2)
        let isLast = self.state.withLock { state in
            state.connections[id]?.request = nil
            state.hold(0, for: id)
            state.connections[id]?.idleSince = .now
            state.requests -= 1
            return state.isStopping && state.requests == 0
        }
        if isLast {
            self.allAnswered.signal()
        }
    }

    /// Works on the request of a connection in place.
    func withRequest<Outcome: Sendable>(_ id: UInt, _ work: (inout IncomingRequest) -> Outcome) -> Outcome? {
        self.state.withLock { state in
            // Moved out, not copied: its body may be large.
            guard var request = state.connections[id]?.request.take() else { return nil }
            let outcome = work(&request)
            state.connections[id]?.request = request
            return outcome
        }
    }

    /// Hands over the request of a connection, whose body has arrived; from then on the connection waits.
    func handOver(_ id: UInt) -> IncomingRequest? {
        self.state.withLock { state in
            guard !state.isOver, let request = state.connections[id]?.request.take() else { return nil }
            state.connections[id]?.isWaiting = true
            state.connections[id]?.record = request.record
            state.waiting += 1
            return request
        }
    }

    /// Returns the kept data of a connection's request, once, and the client's address.
    func takeRecord(_ id: UInt) -> (record: RequestRecord, address: ClientAddress)? {
        self.state.withLock { state in
            guard let connection = state.connections[id] else { return nil }
            let record = connection.record.take() ?? connection.request?.record
            return record.map { ($0, connection.address) }
        }
    }

    /// Returns the answer of a waiting connection; nil if there is none.
    func takeAnswer(_ id: UInt) -> ServerAnswer? {
        let now = ContinuousClock.now
        return self.state.withLock { state in
            guard let answer = state.connections[id]?.answer.take() else { return nil }
            state.connections[id]?.isWaiting = false
            state.waiting -= 1
            // The deadline for reading the answer is set here, before another thread can find the old one expired.
            state.connections[id]?.stepBegan = now
            state.connections[id]?.deadline = now + self.settings.clientTimeout + self.time(forBytes: answer.size)
            return answer
        }
    }

    private func time(forBytes count: Int) -> Duration {
        .milliseconds(Int64(count) * 1_000 / Int64(max(self.settings.slowestRate, 1)))
    }

    /// Extends a deadline by the time that `count` bytes need at the slowest rate.
    func extend(_ id: UInt, forBytes count: Int, isNewStep: Bool, timeout: Duration? = nil) {
        let now = ContinuousClock.now
        let forBytes = self.time(forBytes: count)
        self.state.withLock { state in
            if isNewStep {
                state.connections[id]?.stepBegan = now
            }
            let began = state.connections[id]?.stepBegan ?? now
            state.connections[id]?.deadline = began + (timeout ?? self.settings.clientTimeout) + forBytes
        }
    }

    /// Shuts down every overdue connection; libmicrohttpd then detects the end and closes it.
    func dropOverdue() {
        let now = ContinuousClock.now
        self.state.withLock { state in
            for connection in state.connections.values where !connection.isWaiting && connection.deadline < now {
                shutdown(connection.socket, CInt(SHUT_RDWR))
            }
        }
    }

    /// Ends all watches, and waits until all requests are answered, at most for the grace period.
    ///
    /// - Returns: False if an answer is still being made.
    func stopAndWait() -> Bool {
        let isIdle = self.state.withLock { state in
            state.isStopping = true
            return state.requests == 0
        }
        for stream in self.state.withLock({ $0.streams }) { stream.stop() }
        guard !isIdle else { return self.end() }
        let (seconds, attoseconds) = self.settings.grace.components
        let grace = DispatchTimeInterval.nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
        _ = self.allAnswered.wait(timeout: .now() + grace)
        return self.end()
    }

    /// Marks the table as ended if no connection waits for an answer.
    private func end() -> Bool {
        self.state.withLock { state in
            state.isOver = state.waiting == 0
            return state.isOver
        }
    }
}
