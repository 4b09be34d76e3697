extension [UInt8] {
    /// The largest room, in bytes, that is small enough to stay in the heap when it is freed.
    private static let heapRoom = 256 << 10

    /// Room, in bytes, that any allocator returns to the system when it is freed: glibc keeps up to 32 MiB.
    private static let systemRoom = 64 << 20

    /// Makes room for `more` bytes in an array that never holds more than `limit`.
    ///
    /// An array that grows by itself doubles its room, also beyond the limit, and the rooms that it frees stay in the heap of their
    /// thread. Here the room grows fourfold and never beyond the limit, and skips the sizes that would stay. Room without bytes in
    /// it needs no memory. The bytes are copied when they are at most a half of the limit, so that both copies are within it.
    package mutating func reserve(for more: Int, limit: Int) {
        let needed = self.count + more
        guard needed > self.capacity else { return }
        var room = 4 << 10
        while room < needed, room <= limit / 8 {
            room = room == Self.heapRoom ? Self.systemRoom : room * 4
        }
        self.reserveCapacity(room < needed || room > limit / 2 ? Swift.max(limit, needed) : room)
    }
}
