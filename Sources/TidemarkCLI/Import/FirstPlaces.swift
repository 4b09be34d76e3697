import Tidemark

/// Where each name of a file came first, in room that is the same for a long name as for a short one: 27 to 55 bytes.
///
/// Of a name 128 bits of a hash are kept whose key nobody knows (SipHash, drawn anew for each process). That two names of a file
/// with a billion of them share those comes about once in 10²¹ files.
struct FirstPlaces {
    private struct Slot {
        var first: UInt64 = 0
        var second: UInt64 = 0
        /// 0 where the slot is free.
        var line: UInt32 = 0
        var column: UInt32 = 0
    }

    /// A power of two, of which an eighth stays free.
    private var slots = [Slot](repeating: Slot(), count: 64)
    private var count = 0

    /// Notes where a name stands.
    ///
    /// - Returns: Where it came before; nil where it is new.
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

    /// Where a slot is, or belongs.
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
