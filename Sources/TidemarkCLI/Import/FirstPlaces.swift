import Tidemark

/// The first place of each name in a file. A name takes 27 to 55 bytes, however long it is.
///
/// For each name it stores 128 bits of a hash with a secret key (SipHash, with a random key for each process). In a file with a
/// billion names, two of them have equal hashes about once in 10²¹ files.
struct FirstPlaces {
    private struct Slot {
        var first: UInt64 = 0
        var second: UInt64 = 0
        /// 0 if the slot is free.
        var line: UInt32 = 0
        var column: UInt32 = 0
    }

    /// The number of slots is a power of two; an eighth of them stays free.
    private var slots = [Slot](repeating: Slot(), count: 64)
    private var count = 0

    /// Stores the place of a name.
    ///
    /// - Returns: The earlier place of the name; nil if the name is new.
    mutating func note(_ name: String, at place: ImportReader.Place) -> ImportReader.Place? {
        let slot = Slot(
            first: Self.hash(name, 0), second: Self.hash(name, 1), line: UInt32(clamping: place.line),
            column: UInt32(clamping: place.column))
        let index = self.index(of: slot)
        let former = self.slots[index]
        guard former.line == 0 else { return ImportReader.Place(line: Int(former.line), column: Int(former.column)) }
        self.slots[index] = slot
        self.count += 1
        if self.count * 8 >= self.slots.count * 7 { self.grow() }
        return nil
    }

    private mutating func grow() {
        let former = self.slots
        self.slots = [Slot](repeating: Slot(), count: former.count * 2)
        for slot in former where slot.line != 0 { self.slots[self.index(of: slot)] = slot }
    }

    /// The index of a slot, or the free index for it.
    private func index(of slot: Slot) -> Int {
        let mask = self.slots.count - 1
        var index = Int(truncatingIfNeeded: slot.first) & mask
        while self.slots[index].line != 0,
            self.slots[index].first != slot.first || self.slots[index].second != slot.second
        {
            index = (index + 1) & mask
        }
        return index
    }

    private static func hash(_ name: String, _ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        hasher.combine(CodePointString(name))
        return UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
