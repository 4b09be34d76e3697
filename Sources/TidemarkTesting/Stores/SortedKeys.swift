/// Keys in their order, each once. To find one takes as many looks as its number has bits, and the first is taken away without
/// moving the others, as is done with what is sent in its turn.
struct SortedKeys<Key: Comparable & Hashable & Sendable>: Hashable, Sendable {
    private var keys: ArraySlice<Key> = []

    /// All of them.
    var all: ArraySlice<Key> { self.keys }

    /// Those that come after this one.
    subscript(after key: Key?) -> ArraySlice<Key> {
        key.map { self.keys[self.position(after: $0)...] } ?? self.keys
    }

    /// Puts a key where it belongs.
    mutating func insert(_ key: Key) {
        let place = self.position(after: key)
        guard place == self.keys.startIndex || self.keys[place - 1] != key else { return }
        self.keys.insert(key, at: place)
    }

    /// Takes a key away; nothing happens where it is not there.
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
        // What comes in comes behind what is there, as a rule.
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
