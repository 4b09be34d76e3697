import Foundation
import Tidemark

/// The first place of each name in a file. Its memory is bounded: half a million names are in memory, and more are in sorted
/// runs in a temporary file, which are compared at the end.
///
/// For each name it stores 128 bits of a hash with a secret key (SipHash, with a random key for each process). In a file with a
/// billion names, two of them have equal hashes about once in 10²¹ files.
struct FirstPlaces {
    /// Line and column count from 1, the column in bytes.
    struct Place {
        var line: Int
        var column: Int
    }

    /// The number of slots is a power of two; an eighth of them stays free.
    private var slots = [NamePlace](repeating: NamePlace(), count: 64)
    private var count = 0
    private let largest: Int
    private var runs: NamePlaceRuns?

    /// - Parameter largest: The largest number of slots in memory, of 24 bytes each; a power of two.
    init(largest: Int = 1 << 19) {
        self.largest = largest
    }

    /// Stores the place of a name.
    ///
    /// - Returns: The earlier place of the name if it is in memory; otherwise nil.
    mutating func note(_ name: String, at place: Place) throws(CommandFailure) -> Place? {
        let slot = NamePlace(
            first: Self.hash(name, 0), second: Self.hash(name, 1), line: UInt32(clamping: place.line),
            column: UInt32(clamping: place.column))
        let index = self.index(of: slot)
        let former = self.slots[index]
        guard former.isFree else { return former.place }
        self.slots[index] = slot
        self.count += 1
        if self.count * 8 >= self.slots.count * 7 { try self.grow() }
        return nil
    }

    /// After the last name: the first name that came before, and its former place, if the two were never in memory together.
    mutating func firstRepeated() throws(CommandFailure) -> (Place, first: Place)? {
        guard self.runs != nil else { return nil }
        try self.moveToFile()
        return try self.runs?.firstRepeated()
    }

    private mutating func grow() throws(CommandFailure) {
        guard self.slots.count < self.largest else {
            try self.moveToFile()
            return
        }
        let former = self.slots
        self.slots = [NamePlace](repeating: NamePlace(), count: former.count * 2)
        for slot in former where !slot.isFree { self.slots[self.index(of: slot)] = slot }
    }

    private mutating func moveToFile() throws(CommandFailure) {
        let runs: NamePlaceRuns
        if let present = self.runs { runs = present } else { runs = try NamePlaceRuns() }
        self.runs = runs
        // In place: a copy would double the memory.
        self.slots.sort { $0.isBefore($1) }
        try runs.append(self.slots.prefix(self.count))
        for index in self.slots.indices { self.slots[index] = NamePlace() }
        self.count = 0
    }

    /// The index of a slot, or the free index for it.
    private func index(of slot: NamePlace) -> Int {
        let mask = self.slots.count - 1
        var index = Int(truncatingIfNeeded: slot.first) & mask
        while !self.slots[index].isFree, !self.slots[index].isSameName(as: slot) {
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

/// A hash of a name, and a place.
struct NamePlace {
    var first: UInt64 = 0
    var second: UInt64 = 0
    /// 0 if the slot is free.
    var line: UInt32 = 0
    var column: UInt32 = 0

    var isFree: Bool { self.line == 0 }
    var place: FirstPlaces.Place { FirstPlaces.Place(line: Int(self.line), column: Int(self.column)) }

    func isSameName(as other: NamePlace) -> Bool { self.first == other.first && self.second == other.second }

    /// The order of a run: free slots last, one name after the other, and each in the order of the file.
    func isBefore(_ other: NamePlace) -> Bool {
        guard self.isFree == other.isFree else { return other.isFree }
        return (self.first, self.second, self.line, self.column) < (other.first, other.second, other.line, other.column)
    }

    func isEarlier(than other: NamePlace) -> Bool { (self.line, self.column) < (other.line, other.column) }
}
