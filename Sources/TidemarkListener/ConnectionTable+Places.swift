import CSystem

extension ConnectionTable.State {
    /// Whether one more may come from an address; who has been idle longest leaves for it (RFC 9112 §9.6 lets a server
    /// close what is idle).
    mutating func makePlace(for address: ClientAddress, _ settings: ListenerSettings) -> Bool {
        let present = self.connections.filter { !$0.value.isTurnedAway && !$0.value.isLeaving }
        let neighbours = present.filter { $0.value.address == address }
        if neighbours.count >= max(settings.connectionsPerAddress, 1) {
            guard self.dropLongestIdle(of: neighbours) else { return self.makeRoomToSaySo(settings) }
        } else if present.count >= max(settings.connections, 1) {
            guard self.dropLongestIdle(of: present) else { return self.makeRoomToSaySo(settings) }
        }
        return true
    }

    private mutating func dropLongestIdle(of candidates: [UInt: ConnectionTable.Connection]) -> Bool {
        let idle = candidates.filter { $0.value.idleSince != nil }.sorted { one, other in
            (one.value.idleSince ?? .now) < (other.value.idleSince ?? .now)
        }
        // One that has sent something, which was not read yet, is not idle.
        guard let longest = idle.first(where: { !Self.hasSent($0.value.socket) }) else { return false }
        self.drop(longest.key)
        return true
    }

    /// The oldest of those that are told so leave, where they are too many. Always false: there is no place.
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

    /// Leaves what is there where it is, and does not wait.
    private static var look: CInt { CInt(MSG_PEEK) | CInt(MSG_DONTWAIT) }

    private static func hasSent(_ socket: CInt) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Self.look) > 0
    }
}

extension ListenerSettings {
    /// How many connections there can be at once, with those that are told that there is no place.
    var mostConnections: Int { max(self.connections, 1) + max(self.turnedAway, 1) }

    /// The same settings with no more connections than there is room for, an eighth of it for those that are turned away.
    package func fitting(_ room: Int) -> ListenerSettings {
        guard room < self.mostConnections else { return self }
        var settings = self
        settings.turnedAway = max(1, min(self.turnedAway, room / 8))
        settings.connections = max(1, min(self.connections, room - settings.turnedAway))
        return settings
    }
}
