import CSystem

extension ConnectionTable.State {
    /// Whether one more connection from an address is allowed; if a limit is reached, the connection that has waited longest for
    /// a whole head is closed for it: an idle one (RFC 9112 §9.6 allows that), or one whose client sends its head slowly.
    mutating func makePlace(for address: ClientAddress, _ settings: ListenerSettings) -> Bool {
        let present = self.connections.filter { !$0.value.isRefused && !$0.value.isLeaving }
        let neighbors = present.filter { $0.value.address == address }
        if neighbors.count >= max(settings.connectionsPerAddress, 1) {
            guard self.dropLongestWithoutHead(of: neighbors) else { return self.makeRoomToSaySo(settings) }
        } else if present.count >= max(settings.connections, 1) {
            guard self.dropLongestWithoutHead(of: present) else { return self.makeRoomToSaySo(settings) }
        }
        return true
    }

    private mutating func dropLongestWithoutHead(of candidates: [UInt: ConnectionTable.Connection]) -> Bool {
        let waiting = candidates.compactMap { id, connection in connection.headlessSince.map { (id: id, since: $0) } }
            .sorted { $0.since < $1.since }
        // The head of an idle connection may have arrived, and is not read yet. A head that has begun gets no such grace: its
        // client could send a byte at a time.
        let longest = waiting.first { candidate in
            guard let connection = self.connections[candidate.id], connection.idleSince != nil else { return true }
            return !Self.hasSent(connection.socket)
        }
        guard let longest else { return false }
        self.drop(longest.id)
        return true
    }

    /// Closes the oldest of the connections that get only a refusal, if there are too many. Always false: the limit is reached.
    private mutating func makeRoomToSaySo(_ settings: ListenerSettings) -> Bool {
        let waiting = self.connections.filter { $0.value.isRefused && !$0.value.isLeaving }
        if waiting.count >= max(settings.refusedConnections / 2, 1),
            let oldest = waiting.min(by: { $0.value.stepBegan < $1.value.stepBegan })
        {
            self.drop(oldest.key)
        }
        return false
    }

    private mutating func drop(_ id: UInt) {
        guard let socket = self.connections[id]?.socket else { return }
        shutdown(socket, CInt(SHUT_RDWR))
        self.connections[id]?.isLeaving = true
    }

    /// Reads without removing the bytes, and without waiting.
    private static var look: CInt { CInt(MSG_PEEK) | CInt(MSG_DONTWAIT) }

    private static func hasSent(_ socket: CInt) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Self.look) > 0
    }
}

extension ConnectionTable.Connection {
    /// Since when the connection has no whole head of a request; nil if it has one.
    fileprivate var headlessSince: ContinuousClock.Instant? {
        self.idleSince ?? (self.request?.hasHead == false ? self.stepBegan : nil)
    }
}

extension ListenerSettings {
    /// The most connections at once, including those that get only a refusal.
    var mostConnections: Int { max(self.connections, 1) + max(self.refusedConnections, 1) }

    /// The same settings with at most `room` connections, an eighth of them for refusals.
    package func fitting(_ room: Int) -> ListenerSettings {
        guard room < self.mostConnections else { return self }
        var settings = self
        settings.refusedConnections = max(1, min(self.refusedConnections, room / 8))
        settings.connections = max(1, min(self.connections, room - settings.refusedConnections))
        return settings
    }
}
