import CSystem
import Synchronization

// libmicrohttpd refuses some requests with its own page. It reports that beforehand, but not for which connection.

extension ConnectionTable {
    /// A connection whose bytes the library can't parse.
    struct Suspect {
        let id: UInt
        /// True if the chunks of a body are malformed, false if a first line or a head is.
        let isOfBody: Bool
    }

    /// The only connection that the library's report can concern; nil if there are several candidates.
    func onlySuspect() -> Suspect? {
        self.state.withLock { state in
            // The library may report one connection twice, and close it only then.
            var suspects = Set(state.connections.keys.filter { state.isSuspect($0) || state.isRefused($0) })
            // Bytes that arrived together with the last input are parsed directly after it.
            if let last = state.lastHeard { suspects.insert(last) }
            guard let id = suspects.first, suspects.count == 1, !state.isRefused(id) else { return nil }
            return Suspect(id: id, isOfBody: state.connections[id]?.request?.isInChunks == true)
        }
    }

    /// Marks a connection that was refused before the library could refuse it. The library must finish its own refusal: if it
    /// is interrupted, it assumes an answer in its queue that is not there.
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

    /// Whether bytes arrived that were not parsed yet.
    fileprivate func isSuspect(_ id: UInt) -> Bool {
        guard let connection = self.connections[id] else { return false }
        let hasHead = connection.request?.hasHead == true
        // The library counts a body of known length, so it can't misparse it; and it reads nothing while an answer is made.
        guard
            hasHead ? connection.request?.isInChunks == true : connection.request != nil || connection.idleSince != nil
        else { return false }
        let taken = tidemark_bytes_taken(connection.socket)
        // If the system does not report the number of bytes, the connection remains a candidate.
        return taken < 0 || taken > (hasHead ? connection.takenInBody : connection.takenBefore)
    }
}
