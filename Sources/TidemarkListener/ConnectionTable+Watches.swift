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
    func becameWatch(_ id: UInt, _ makeStream: (CInt) -> WatchStream) -> WatchStream? {
        self.state.withLock { state in
            guard !state.isStopping, state.watches.count < self.watchPlaces,
                let connection = state.connections.removeValue(forKey: id)
            else { return nil }
            let stream = makeStream(connection.socket)
            state.watches[id] = stream
            return stream
        }
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
}
