/// The members of an object that was made or changed: insertion order, keys compared by code point, each key with its original
/// spelling.
///
/// Lookup, setting and removal take constant time.
struct JSONMembers: Sendable {
    /// One member; the key keeps its source text.
    struct Slot: Sendable {
        var key: JSONString
        var value: JSON
    }

    /// From this many members on there is an index; below it a linear search is faster.
    private static let indexThreshold = 16

    /// The members in order; nil marks a removed member of an indexed object.
    private var slots: [Slot?]

    /// The position of each key in `slots`, for large objects only.
    private var index: [IndexedKey: Int]?

    /// An object without members.
    init() {
        self.slots = []
    }

    /// The number of members.
    var count: Int {
        self.index?.count ?? self.slots.count
    }

    /// The member with this key. Setting keeps the position of a known key and appends a new one; setting nil removes it.
    subscript(key: String) -> JSON? {
        get {
            self.place(of: key).flatMap { self.slots[$0]?.value }
        }
        set {
            guard let newValue else {
                self.remove(key)
                return
            }
            if let place = self.place(of: key) {
                self.slots[place]?.value = newValue
            } else {
                self.append(key, Slot(key: JSONString(key), value: newValue))
            }
        }
    }

    /// The member with a key of another object, whose spelling may differ.
    func value(of key: JSONString) -> JSON? {
        guard self.index == nil else { return self[key.value] }
        return self.slots.first { $0?.key == key }.flatMap { $0?.value }
    }

    /// Sets a member of a parsed text, and returns whether the key existed already. It keeps its position and
    /// takes the new spelling.
    mutating func set(_ slot: Slot) -> Bool {
        let key = slot.key.value
        if let place = self.place(of: key) {
            self.slots[place] = slot
            return true
        }
        self.append(key, slot)
        return false
    }

    /// Appends a member whose key is known to be new.
    mutating func append(_ slot: Slot) {
        guard self.slots.count + 1 < JSONMembers.indexThreshold else {
            self.append(slot.key.value, slot)
            return
        }
        self.slots.append(slot)
    }

    /// Makes room for this many members.
    mutating func reserveCapacity(_ count: Int) {
        self.slots.reserveCapacity(count)
    }

    private func place(of key: String) -> Int? {
        if let index = self.index {
            return index[IndexedKey(key)]
        }
        return self.slots.firstIndex { slot in
            guard let slot else { return false }
            return slot.key.decodes(to: key)
        }
    }

    private mutating func append(_ key: String, _ slot: Slot) {
        self.slots.append(slot)
        if self.index != nil {
            self.index?[IndexedKey(key)] = self.slots.count - 1
        } else if self.slots.count >= JSONMembers.indexThreshold {
            self.makeIndex()
        }
    }

    private mutating func remove(_ key: String) {
        guard let place = self.place(of: key) else { return }
        guard self.index != nil else {
            self.slots.remove(at: place)
            return
        }
        self.index?[IndexedKey(key)] = nil
        self.slots[place] = nil
        // Gaps are closed only when half of the slots are gaps, so that a removal is cheap on average.
        if self.count * 2 < self.slots.count {
            self.closeGaps()
        }
    }

    /// Removes the gaps. The index is kept, with new positions: its keys, which may be long, are not decoded again.
    private mutating func closeGaps() {
        var places: [Int] = []
        var count = 0
        for slot in self.slots {
            places.append(count)
            if slot != nil { count += 1 }
        }
        self.slots.removeAll { $0 == nil }
        self.index = self.index?.mapValues { places[$0] }
    }

    private mutating func makeIndex() {
        var index: [IndexedKey: Int] = [:]
        index.reserveCapacity(self.slots.count)
        for (place, slot) in self.slots.enumerated() {
            if let slot {
                index[IndexedKey(slot.key.value)] = place
            }
        }
        self.index = index
    }
}

/// A key with its hash. A dictionary that loses a key hashes the next ones in its table again: with a long key among them, each
/// removal would cost as much as that key is long.
private struct IndexedKey: Hashable {
    private let key: CodePointString
    private let hash: Int

    init(_ key: String) {
        self.key = CodePointString(key)
        self.hash = self.key.hashValue
    }

    static func == (left: IndexedKey, right: IndexedKey) -> Bool {
        left.hash == right.hash && left.key == right.key
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(self.hash)
    }
}

extension JSONMembers: Sequence {
    /// Iterates over the members in order, with their keys as they were written.
    struct Iterator: IteratorProtocol {
        private var slots: IndexingIterator<[Slot?]>

        fileprivate init(_ slots: [Slot?]) {
            self.slots = slots.makeIterator()
        }

        mutating func next() -> Slot? {
            while let slot = self.slots.next() {
                if let slot { return slot }
            }
            return nil
        }
    }

    /// Starts at the first member.
    func makeIterator() -> Iterator {
        Iterator(self.slots)
    }
}

extension JSONMembers: Equatable {
    /// Whether both have the same keys with equal values, in any order.
    static func == (left: JSONMembers, right: JSONMembers) -> Bool {
        guard left.count == right.count else { return false }
        // Usually both have the same keys in the same order, and no key has to be looked up or decoded.
        var neighbors = right.makeIterator()
        var slots = left.makeIterator()
        while let slot = slots.next() {
            let neighbor = neighbors.next()
            let isSame = neighbor?.key == slot.key
            guard slot.value == (isSame ? neighbor?.value : right.value(of: slot.key)) else { return false }
        }
        return true
    }
}
