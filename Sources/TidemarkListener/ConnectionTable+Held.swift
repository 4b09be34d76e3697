import Synchronization

// What clients keep in the memory of the server, all of them together. A client alone is held to the limits of a body and of an
// answer; a thousand that take nothing of what they asked for would be held to nothing.

extension ConnectionTable {
    /// Whether so much is in memory for clients that nothing more is to come to it.
    var isFull: Bool { self.state.withLock { $0.held >= self.settings.heldBytes } }

    /// So many bytes of a body have come in.
    func hold(_ bytes: Int, for id: UInt) {
        self.state.withLock { $0.hold(bytes, for: id) }
    }
}

extension ConnectionTable.State {
    /// What is in memory for a connection from now on.
    mutating func hold(_ bytes: Int, for id: UInt) {
        guard let connection = self.connections[id] else { return }
        self.held += bytes - connection.held
        connection.held = bytes
    }
}
