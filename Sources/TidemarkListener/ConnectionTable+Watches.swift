import Synchronization
import TidemarkServer

// Connections on which hints are waited for. They are no longer among the others: whoever looks for a place, an overdue client
// or a suspect need not look through ten thousand that are silent for hours, and none of them takes a place from who asks.

extension ConnectionTable {
    /// Says something where nothing was said for a while, and ends the watches of clients that are gone.
    func lookAfterWatches() {
        let now = ContinuousClock.now
        // Outside of the lock: ten thousand are looked at.
        for stream in self.state.withLock({ Array($0.watches.values) }) {
            stream.look(heartbeat: self.settings.heartbeat, at: now)
        }
    }

    /// Makes a connection one that waits for hints; nil where there is no place.
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
    /// Takes out a connection that waited for hints; nil where it is none.
    mutating func removeWatch(_ id: UInt) -> WatchStream? {
        guard let stream = self.watches.removeValue(forKey: id) else { return nil }
        let left = self.watchesFrom[stream.address, default: 1] - 1
        self.watchesFrom[stream.address] = left > 0 ? left : nil
        return stream
    }
}

extension ServerAnswer {
    /// How many bytes of it are in memory.
    var size: Int {
        switch self {
        case .whole(let response): response.body.count
        case .events: 0
        }
    }

    /// Whose answer it is; nil of events, of which nothing is held here.
    var account: String? {
        switch self {
        case .whole(let response): response.account
        case .events: nil
        }
    }
}
