import Synchronization
import TidemarkServer

// Connections that wait for hints. They are stored separately: the searches for a place, an overdue client or a suspect need
// not visit ten thousand connections that are silent for hours, and these take no place of a connection with requests.

extension ConnectionTable {
    /// Sends a comment line on watches that were silent for a while, and ends the watches of clients that have disconnected.
    func lookAfterWatches() {
        let now = ContinuousClock.now
        // Outside of the lock: there may be ten thousand streams.
        for stream in self.state.withLock({ Array($0.watches.values) }) {
            stream.look(heartbeat: self.settings.heartbeat, at: now)
        }
    }

    /// Turns a connection into a watch; nil if the limit of watches is reached.
    func becameWatch(_ id: UInt, _ makeStream: (CInt, ClientAddress) -> WatchStream) -> WatchStream? {
        self.state.withLock { state in
            guard !state.isStopping, state.watches.count < self.watchPlaces,
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
}

extension ConnectionTable.State {
    /// Removes a watch and returns its stream; nil if the connection is not a watch.
    mutating func removeWatch(_ id: UInt) -> WatchStream? {
        guard let stream = self.watches.removeValue(forKey: id) else { return nil }
        let left = self.watchesFrom[stream.address, default: 1] - 1
        self.watchesFrom[stream.address] = left > 0 ? left : nil
        return stream
    }
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
