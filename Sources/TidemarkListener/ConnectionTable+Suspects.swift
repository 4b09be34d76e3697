import CSystem
import Synchronization

// libmicrohttpd refuses some requests with a page of its own. It says so beforehand, and not whom it refuses.

extension ConnectionTable {
    /// A connection whose bytes the library can't make sense of.
    struct Suspect {
        let id: UInt
        /// True where it is the chunks of a body that make none, and not a first line or a head.
        let isOfBody: Bool
    }

    /// The only connection of which the library can complain now; nil where it may be one of several, which all may be
    /// answered by it then.
    func onlySuspect() -> Suspect? {
        self.state.withLock { state in
            // The library may complain twice of one, and have hung up only then.
            var suspects = Set(state.connections.keys.filter { state.isSuspect($0) || state.isRefused($0) })
            // What came in one piece with what was handed over is looked at right behind it.
            if let last = state.lastHeard { suspects.insert(last) }
            guard let id = suspects.first, suspects.count == 1, !state.isRefused(id) else { return nil }
            return Suspect(id: id, isOfBody: state.connections[id]?.request?.isInChunks == true)
        }
    }

    /// A connection was refused before the library could. It must see to the end what it does about that: where it is
    /// stopped in the middle, it takes an answer for queued that is not.
    func refused(_ id: UInt) {
        self.state.withLock { state in
            guard state.connections[id]?.isRefused == false else { return }
            state.connections[id]?.isRefused = true
            state.requests += 1
        }
    }
}

extension ConnectionTable.State {
    fileprivate func isRefused(_ id: UInt) -> Bool { self.connections[id]?.isRefused == true }

    /// Whether bytes came in that were not understood yet.
    fileprivate func isSuspect(_ id: UInt) -> Bool {
        guard let connection = self.connections[id] else { return false }
        let hasHead = connection.request?.hasHead == true
        // A length is counted by the library, and never misread; and while an answer is made, nothing is read.
        guard
            hasHead ? connection.request?.isInChunks == true : connection.request != nil || connection.idleSince != nil
        else { return false }
        let taken = tidemark_bytes_taken(connection.socket)
        // Where the system does not say, it may be anyone.
        return taken < 0 || taken > (hasHead ? connection.takenInBody : connection.takenBefore)
    }
}
