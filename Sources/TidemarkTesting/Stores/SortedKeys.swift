/// Sorted keys without duplicates. A search takes a logarithmic number of comparisons, and the first key is removed without
/// moving the others, as happens when records are sent in order.
struct SortedKeys<Key: Comparable & Hashable & Sendable>: Hashable, Sendable {
    private var keys: ArraySlice<Key> = []

    var all: ArraySlice<Key> { self.keys }

    subscript(after key: Key?) -> ArraySlice<Key> {
        key.map { self.keys[self.position(after: $0)...] } ?? self.keys
    }

    mutating func insert(_ key: Key) {
        let place = self.position(after: key)
        guard place == self.keys.startIndex || self.keys[place - 1] != key else { return }
        self.keys.insert(key, at: place)
    }

    /// Removes a key; does nothing if it does not exist.
    mutating func remove(_ key: Key) {
        let place = self.position(after: key)
        guard place > self.keys.startIndex, self.keys[place - 1] == key else { return }
        if place - 1 == self.keys.startIndex {
            self.keys.removeFirst()
        } else {
            self.keys.remove(at: place - 1)
        }
    }

    private func position(after key: Key) -> Int {
        var (low, high) = (self.keys.startIndex, self.keys.endIndex)
        // A new key usually comes after all others.
        if let last = self.keys.last, last < key { return high }
        while low < high {
            let middle = (low + high) / 2
            if key < self.keys[middle] {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low
    }
}
