/// The keys of a record in an index, in their order, in one block of memory that is used again for the next record.
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

    /// The first of the keys in the order of the list, or in the opposite one, for which a condition is true.
    package func first(isBackward: Bool, where condition: (ArraySlice<UInt8>) -> Bool) -> ArraySlice<UInt8>? {
        for number in isBackward ? (0..<self.count).reversed() : Array(0..<self.count) {
            let key = self.bytes[self[number]]
            if condition(key) { return key }
        }
        return nil
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
