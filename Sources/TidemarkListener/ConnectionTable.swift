import CSystem
import Dispatch
import Synchronization
import TidemarkServer

/// The connections that are open, what each is being sent, and until when it may take.
///
/// libmicrohttpd only notices silence; a client that sends one byte now and then would hold its place for hours. So
/// each step of a request has a deadline here, and a connection that misses it is shut down (SPEC W10).
final class ConnectionTable: Sendable {
    /// A class, and only ever touched under the lock of the table: a value would be copied out of it and in again at each step
    /// of a request.
    final class Connection {
        let socket: CInt
        let address: ClientAddress
        /// True for one that only came to be told that there is no place.
        let isTurnedAway: Bool
        /// Since when nothing is asked; nil while something is.
        var idleSince: ContinuousClock.Instant?
        /// True after it was shut down, until the daemon closes it.
        var isLeaving = false
        var deadline: ContinuousClock.Instant
        /// When the step began that the deadline is for.
        var stepBegan: ContinuousClock.Instant
        var request: IncomingRequest?
        /// What is known of the request whose answer is awaited.
        var record: RequestRecord?
        /// True from when its request was handed over until its answer is taken: so long nothing is asked of the client.
        var isWaiting = false
        /// The answer, when it was made.
        var answer: ServerAnswer?
        /// How many bytes the library had taken when the last request was done; what it took since is of the next.
        var takenBefore: Int64 = 0
        /// How many bytes the last request had; nil where that can't be told.
        var requestSize: Int?
        /// How many bytes the library had taken when it last handed something of a body in chunks over.
        var takenInBody: Int64 = 0
        /// How many bytes of its body, or of its answer, are in memory.
        var held = 0
        /// Whose answer that is; nil for a body.
        var account: String?
        /// True after it was refused before the library could, until the library has hung up.
        var isRefused = false

        init(
            socket: CInt, address: ClientAddress, isTurnedAway: Bool, now: ContinuousClock.Instant,
            deadline: ContinuousClock.Instant
        ) {
            self.socket = socket
            self.address = address
            self.isTurnedAway = isTurnedAway
            self.idleSince = now
            self.deadline = deadline
            self.stepBegan = now
        }
    }

    struct State {
        var connections: [UInt: Connection] = [:]
        /// Those on which hints are waited for; none of them is above.
        var watches: [UInt: WatchStream] = [:]
        /// How many of them come from where; an address from which none comes is not there.
        var watchesFrom: [ClientAddress: Int] = [:]
        var requests = 0
        var isStopping = false
        /// Whose request was done last, or of whose body in chunks something was handed over last, as long as nothing else was
        /// heard, and where more may have come behind it in one piece: that is looked at at once.
        var lastHeard: UInt?
        /// How many connections wait for an answer.
        var waiting = 0
        /// How many bytes of bodies and answers are in memory for all of them.
        var held = 0
        /// How many of them are answers to an account; none that holds nothing is there.
        var heldFor: [String: Int] = [:]
        /// True when the daemon is about to end: nobody may wait for an answer any more.
        var isOver = false
    }

    let state = Mutex(State())
    private let allAnswered = DispatchSemaphore(value: 0)
    let settings: ListenerSettings

    /// For how many that wait for hints there is room, besides those that ask.
    let watchPlaces: Int

    init(_ settings: ListenerSettings, watchPlaces: Int) {
        self.settings = settings
        self.watchPlaces = watchPlaces
    }

    /// True after ``stopAndWait()``: answers then close their connections.
    var isStopping: Bool { self.state.withLock { $0.isStopping } }

    /// How many connections are open.
    var count: Int { self.state.withLock { $0.connections.count + $0.watches.count } }

    func opened(_ id: UInt, socket: CInt) {
        let now = ContinuousClock.now
        let address = ClientAddress(of: socket)
        self.state.withLock { state in
            state.lastHeard = nil
            let hasPlace = state.makePlace(for: address, self.settings)
            let patience =
                hasPlace
                ? self.settings.clientTimeout : min(self.settings.turnedAwayTimeout, self.settings.clientTimeout)
            state.connections[id] = Connection(
                socket: socket, address: address, isTurnedAway: !hasPlace, now: now, deadline: now + patience)
        }
    }

    /// The socket is closed after this returns, so that no other is shut down in its place.
    func closed(_ id: UInt) {
        if let stream = self.state.withLock({ $0.removeWatch(id) }) { return stream.leave() }
        let isLast = self.state.withLock { state in
            let connection = state.connections.removeValue(forKey: id)
            if state.lastHeard == id { state.lastHeard = nil }
            if connection?.isWaiting == true { state.waiting -= 1 }
            // Its answer may have been made after its request was given up.
            if let connection { state.hold(0, of: nil, for: connection) }
            guard connection?.isRefused == true else { return false }
            state.requests -= 1
            return state.isStopping && state.requests == 0
        }
        if isLast {
            self.allAnswered.signal()
        }
    }

    /// The first line of a request came in.
    func began(_ id: UInt, target: String, place: Range<UInt>) {
        self.state.withLock { state in
            state.requests += 1
            state.lastHeard = nil
            state.connections[id]?.idleSince = nil
            state.connections[id]?.requestSize = nil
            let isTurnedAway = state.connections[id]?.isTurnedAway ?? false
            state.connections[id]?.request = IncomingRequest(
                target: target, place: place, isTurnedAway: isTurnedAway)
        }
        self.extend(id, forBytes: 0, isNewStep: true)
    }

    /// The request was answered to its end, or given up.
    func completed(_ id: UInt) {
        self.state.withLock { $0.watches[id] }?.leave()
        // Twice the time: once for silence between two requests, once for the head of the next.
        self.extend(id, forBytes: 0, isNewStep: true, patience: self.settings.clientTimeout * 2)
        let isLast = self.state.withLock { state in
            state.lastHeard = nil
            state.connections[id]?.request = nil
            state.hold(0, for: id)
            state.connections[id]?.idleSince = .now
            if let connection = state.connections[id] {
                let taken = tidemark_bytes_taken(connection.socket)
                let end = connection.requestSize.map { connection.takenBefore + Int64($0) }
                if taken < 0 || taken != end { state.lastHeard = id }
                state.connections[id]?.takenBefore = taken
            }
            state.requests -= 1
            return state.isStopping && state.requests == 0
        }
        if isLast {
            self.allAnswered.signal()
        }
    }

    /// The connections of which a first line has come in, and no head yet.
    var awaitingHead: [UInt] {
        self.state.withLock { state in
            state.connections.filter { $0.value.request?.hasHead == false }.map(\.key)
        }
    }

    /// Works on the request of a connection in place.
    func withRequest<Outcome: Sendable>(_ id: UInt, _ work: (inout IncomingRequest) -> Outcome) -> Outcome? {
        self.state.withLock { state in
            // Taken out, and not copied: its body may be large.
            guard var request = state.connections[id]?.request.take() else { return nil }
            let outcome = work(&request)
            state.connections[id]?.request = request
            return outcome
        }
    }

    /// Something of a request was handed over; of one in chunks more may be in the library's hands.
    func heard(_ id: UInt) {
        self.state.withLock { state in
            state.lastHeard = nil
            guard let connection = state.connections[id], connection.request?.isInChunks == true else { return }
            state.connections[id]?.takenInBody = tidemark_bytes_taken(connection.socket)
            state.lastHeard = id
        }
    }

    /// Hands over the request of a connection, whose body has come in; it waits then.
    func handOver(_ id: UInt) -> IncomingRequest? {
        self.state.withLock { state in
            guard !state.isOver, let request = state.connections[id]?.request.take() else { return nil }
            state.connections[id]?.isWaiting = true
            state.connections[id]?.requestSize = request.size
            state.connections[id]?.record = request.record
            state.waiting += 1
            return request
        }
    }

    /// What is known of the request that a connection has sent, to be told of once, and from where it came.
    func takeRecord(_ id: UInt) -> (record: RequestRecord, address: ClientAddress)? {
        self.state.withLock { state in
            guard let connection = state.connections[id] else { return nil }
            let record = connection.record.take() ?? connection.request?.record
            return record.map { ($0, connection.address) }
        }
    }

    /// The answer of a connection that waits; nil where none does.
    func takeAnswer(_ id: UInt) -> ServerAnswer? {
        let now = ContinuousClock.now
        return self.state.withLock { state in
            guard let answer = state.connections[id]?.answer.take() else { return nil }
            state.connections[id]?.isWaiting = false
            state.waiting -= 1
            // The time for the client to take it begins now, before anybody can find that it is over.
            state.connections[id]?.stepBegan = now
            state.connections[id]?.deadline = now + self.settings.clientTimeout + self.time(forBytes: answer.size)
            return answer
        }
    }

    private func time(forBytes count: Int) -> Duration {
        .milliseconds(Int64(count) * 1_000 / Int64(max(self.settings.slowestRate, 1)))
    }

    /// Gives a connection the time that so many bytes need at the slowest rate.
    func extend(_ id: UInt, forBytes count: Int, isNewStep: Bool, patience: Duration? = nil) {
        let now = ContinuousClock.now
        let forBytes = self.time(forBytes: count)
        self.state.withLock { state in
            if isNewStep {
                state.connections[id]?.stepBegan = now
            }
            let began = state.connections[id]?.stepBegan ?? now
            state.connections[id]?.deadline = began + (patience ?? self.settings.clientTimeout) + forBytes
        }
    }

    /// Shuts down every connection whose time is over; libmicrohttpd then sees the end and closes it.
    func dropOverdue() {
        let now = ContinuousClock.now
        self.state.withLock { state in
            for connection in state.connections.values where !connection.isWaiting && connection.deadline < now {
                shutdown(connection.socket, CInt(SHUT_RDWR))
            }
        }
    }

    /// Ends all watches, and waits until everything that was asked is answered, or the grace is over.
    ///
    /// - Returns: False when an answer is still being made.
    func stopAndWait() -> Bool {
        let isIdle = self.state.withLock { state in
            state.isStopping = true
            return state.requests == 0
        }
        for stream in self.state.withLock({ Array($0.watches.values) }) { stream.stop() }
        guard !isIdle else { return self.end() }
        let (seconds, attoseconds) = self.settings.grace.components
        let grace = DispatchTimeInterval.nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000))
        _ = self.allAnswered.wait(timeout: .now() + grace)
        return self.end()
    }

    /// Ends it where nobody waits for an answer.
    private func end() -> Bool {
        self.state.withLock { state in
            state.isOver = state.waiting == 0
            return state.isOver
        }
    }
}
