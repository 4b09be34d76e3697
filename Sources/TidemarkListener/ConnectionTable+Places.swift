import CSystem

extension ConnectionTable.State {
    /// Whether one more connection from an address is allowed; if a limit is reached, the longest idle connection is closed for
    /// it (RFC 9112 §9.6 allows a server to close idle connections).
    mutating func makePlace(for address: ClientAddress, _ settings: ListenerSettings) -> Bool {
        let present = self.connections.filter { !$0.value.isTurnedAway && !$0.value.isLeaving }
        let neighbors = present.filter { $0.value.address == address }
        if neighbors.count >= max(settings.connectionsPerAddress, 1) {
            guard self.dropLongestIdle(of: neighbors) else { return self.makeRoomToSaySo(settings) }
        } else if present.count >= max(settings.connections, 1) {
            guard self.dropLongestIdle(of: present) else { return self.makeRoomToSaySo(settings) }
        }
        return true
    }

    private mutating func dropLongestIdle(of candidates: [UInt: ConnectionTable.Connection]) -> Bool {
        let idle = candidates.filter { $0.value.idleSince != nil }.sorted { one, other in
            (one.value.idleSince ?? .now) < (other.value.idleSince ?? .now)
        }
        // A connection with received bytes that were not read yet is not idle.
        guard let longest = idle.first(where: { !Self.hasSent($0.value.socket) }) else { return false }
        self.drop(longest.key)
        return true
    }

    /// Closes the oldest of the connections that get only a refusal, if there are too many. Always false: the limit is reached.
    private mutating func makeRoomToSaySo(_ settings: ListenerSettings) -> Bool {
        let waiting = self.connections.filter { $0.value.isTurnedAway && !$0.value.isLeaving }
        if waiting.count >= max(settings.turnedAway / 2, 1),
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

extension ListenerSettings {
    /// The most connections at once, including those that get only a refusal.
    var mostConnections: Int { max(self.connections, 1) + max(self.turnedAway, 1) }

    /// The same settings with at most `room` connections, an eighth of them for refusals.
    package func fitting(_ room: Int) -> ListenerSettings {
        guard room < self.mostConnections else { return self }
        var settings = self
        settings.turnedAway = max(1, min(self.turnedAway, room / 8))
        settings.connections = max(1, min(self.connections, room - settings.turnedAway))
        return settings
    }
}
