import Synchronization
import TidemarkServer

// Connections that wait for hints. They are stored separately: the searches for a place, an overdue client or a suspect need
// not visit ten thousand connections that are silent for hours, and these take no place of a connection with requests.

extension ConnectionTable {
    /// Sends a comment line on watches that were silent for a while, and ends the watches of clients that have disconnected.
    func lookAfterWatches() {
        let now = ContinuousClock.now
        // Outside of the lock: there may be ten thousand streams.
        for stream in self.state.withLock({ $0.streams }) {
            stream.look(heartbeat: self.settings.heartbeat, timeout: self.settings.clientTimeout, at: now)
        }
    }

    /// Turns a connection into a watch; nil if the limit of watches is reached.
    func becameWatch(_ id: UInt, _ makeStream: (CInt, ClientAddress) -> WatchStream) -> WatchStream? {
        self.state.withLock { state in
            guard !state.isStopping, state.watchCount < self.watchPlaces,
                let address = state.connections[id]?.address,
                state.watchesFrom[address, default: 0] < max(self.settings.watchesPerAddress, 1),
                let connection = state.connections.removeValue(forKey: id)
            else { return nil }
            let stream = makeStream(connection.socket, address)
            state.watches[id] = stream
            state.watchesFrom[address, default: 0] += 1
            return stream
        }
    }

    /// The library has finished the connection of a watch: the watch has left it, or has ended.
    func completedWatch(_ id: UInt) {
        guard let stream = self.state.withLock({ $0.watches[id] }) else { return }
        guard stream.hasLeftLibrary else { return stream.leave() }
        self.state.withLock { state in
            // The library uses the number for its next connection. A stream that has ended meanwhile is not here.
            if let stream = state.watches.removeValue(forKey: id) {
                state.detachedWatches[ObjectIdentifier(stream)] = stream
            }
        }
    }

    /// A watch has ended outside of the library.
    func ended(_ stream: WatchStream) {
        self.state.withLock { state in
            if state.watches[stream.id] === stream {
                state.watches[stream.id] = nil
            } else {
                guard state.detachedWatches.removeValue(forKey: ObjectIdentifier(stream)) != nil else { return }
            }
            state.removePlace(of: stream)
        }
    }
}

extension ConnectionTable.State {
    /// Removes a watch and returns its stream; nil if the connection is not a watch.
    mutating func removeWatch(_ id: UInt) -> WatchStream? {
        guard let stream = self.watches.removeValue(forKey: id) else { return nil }
        self.removePlace(of: stream)
        return stream
    }

    fileprivate mutating func removePlace(of stream: WatchStream) {
        let left = self.watchesFrom[stream.address, default: 1] - 1
        self.watchesFrom[stream.address] = left > 0 ? left : nil
    }

    /// The number of open watches.
    var watchCount: Int { self.watches.count + self.detachedWatches.count }

    /// The streams of all open watches.
    var streams: [WatchStream] { Array(self.watches.values) + Array(self.detachedWatches.values) }
}

extension ServerAnswer {
    /// The number of its bytes in memory.
    var size: Int {
        switch self {
        case .whole(let response): response.body.count
        case .events: 0
        }
    }

    /// The account of the answer; nil for events, of which no bytes are kept here.
    var account: String? {
        switch self {
        case .whole(let response): response.account
        case .events: nil
        }
    }
}
