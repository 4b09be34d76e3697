import TidemarkJSON

/// Keys in one block of memory: those of a record in an index, in their order, or those of some entries.
package struct KeyList: Sendable {
    /// The bytes of all keys.
    package private(set) var bytes: [UInt8] = []
    private var ends: [Int] = []

    package init() {}

    package var count: Int { self.ends.count }

    /// The place of a key in ``bytes``.
    package subscript(number: Int) -> Range<Int> {
        (number == 0 ? 0 : self.ends[number - 1])..<self.ends[number]
    }

    /// A key as an array.
    package func key(_ number: Int) -> [UInt8] { Array(self.bytes[self[number]]) }

    /// The number of the first key that is in one of the ranges, or, if `isBackward`, of the last one.
    package func first(in ranges: [KeyRange], isBackward: Bool) -> Int? {
        let isInside = { (number: Int) in ranges.contains { $0.contains(self.key(number)) } }
        return isBackward ? (0..<self.count).last(where: isInside) : (0..<self.count).first(where: isInside)
    }

    /// Whether a key equals one of another list.
    package func isEqual(_ number: Int, to other: KeyList, _ otherNumber: Int) -> Bool {
        let (place, otherPlace) = (self[number], other[otherNumber])
        return unsafe self.bytes.withUnsafeBufferPointer { bytes in
            unsafe other.bytes.withUnsafeBufferPointer { others in
                let mine = unsafe UnsafeBufferPointer(rebasing: bytes[place])
                return unsafe mine.isEqual(to: UnsafeBufferPointer(rebasing: others[otherPlace]))
            }
        }
    }

    /// Appends a key.
    package mutating func append(_ key: UnsafeRawBufferPointer) {
        unsafe self.bytes.append(contentsOf: key)
        self.ends.append(self.bytes.count)
    }

    package mutating func removeAll() {
        self.bytes.removeAll(keepingCapacity: true)
        self.ends.removeAll(keepingCapacity: true)
    }

    /// Appends a key.
    mutating func append(_ write: (inout [UInt8]) -> Void) {
        write(&self.bytes)
        self.ends.append(self.bytes.count)
    }
}
