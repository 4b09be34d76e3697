/// The members of a JSON object: insertion order, keys compared by code point, each key with the spelling it came with.
///
/// Equality and hashing do not look at the order. Lookup, setting and removal take the same time however many members
/// there are.
public struct JSONObject: Sendable {
    /// One member; the key keeps its source text.
    struct Slot: Sendable {
        var key: JSONString
        var value: JSON
    }

    /// From this many members on an index is kept; below it a walk is faster.
    private static let indexThreshold = 16

    /// The members in order; nil stands where a member of an indexed object was removed.
    private var slots: [Slot?]

    /// Where each key stands in `slots`, for large objects only.
    private var index: [CodePointString: Int]?

    /// An object without members.
    public init() {
        self.slots = []
    }

    /// Members in this order; of a repeated key the last value wins, at the first one's place.
    public init(_ members: some Sequence<(String, JSON)>) {
        self.init()
        for (key, value) in members {
            self[key] = value
        }
    }

    /// The number of members.
    public var count: Int {
        self.index?.count ?? self.slots.count
    }

    /// Whether there are no members.
    public var isEmpty: Bool {
        self.count == 0
    }

    /// The keys in order, decoded.
    public var keys: [String] {
        self.slots.compactMap { $0?.key.value }
    }

    /// The member with this key. Setting keeps the place of a known key and appends a new one; setting nil removes it.
    public subscript(key: String) -> JSON? {
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

    /// The member with the key that another object wrote, perhaps in another spelling.
    func value(of key: JSONString) -> JSON? {
        guard self.index == nil else { return self[key.value] }
        return self.slots.first { $0?.key == key }.flatMap { $0?.value }
    }

    /// Sets a member that came from a text, and says whether the key was there already. It keeps its place and
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

    /// Makes room for this many members.
    mutating func reserveCapacity(_ count: Int) {
        self.slots.reserveCapacity(count)
    }

    private func place(of key: String) -> Int? {
        if let index = self.index {
            return index[CodePointString(key)]
        }
        return self.slots.firstIndex { slot in
            guard let slot else { return false }
            return slot.key.decodes(to: key)
        }
    }

    private mutating func append(_ key: String, _ slot: Slot) {
        self.slots.append(slot)
        if self.index != nil {
            self.index?[CodePointString(key)] = self.slots.count - 1
        } else if self.slots.count >= JSONObject.indexThreshold {
            self.makeIndex()
        }
    }

    private mutating func remove(_ key: String) {
        guard let place = self.place(of: key) else { return }
        guard self.index != nil else {
            self.slots.remove(at: place)
            return
        }
        self.index?[CodePointString(key)] = nil
        self.slots[place] = nil
        // Closing the gaps only when half are gaps keeps a removal cheap on average.
        if self.count * 2 < self.slots.count {
            self.closeGaps()
        }
    }

    /// Takes the gaps out. The index stays, with other places: its keys, which may be long, are not read again.
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
        var index: [CodePointString: Int] = [:]
        index.reserveCapacity(self.slots.count)
        for (place, slot) in self.slots.enumerated() {
            if let slot {
                index[CodePointString(slot.key.value)] = place
            }
        }
        self.index = index
    }
}

extension JSONObject: Sequence {
    /// Walks the members in order.
    public struct Iterator: IteratorProtocol {
        private var slots: IndexingIterator<[Slot?]>

        fileprivate init(_ slots: [Slot?]) {
            self.slots = slots.makeIterator()
        }

        /// The next member, its key decoded.
        public mutating func next() -> (key: String, value: JSON)? {
            self.nextSlot().map { ($0.key.value, $0.value) }
        }

        /// The next member, its key as it was written.
        mutating func nextSlot() -> Slot? {
            while let slot = self.slots.next() {
                if let slot {
                    return slot
                }
            }
            return nil
        }
    }

    /// Starts at the first member.
    public func makeIterator() -> Iterator {
        Iterator(self.slots)
    }

    /// The number of members, which is known.
    public var underestimatedCount: Int { self.count }
}

extension JSONObject: Hashable {
    /// Whether both have the same keys with equal values, in whatever order. The left one's keys are looked for in the
    /// right one, so that a small object on the left makes little work.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        // Most often both have the same keys in the same order, and nothing has to be looked up or decoded.
        var neighbours = right.makeIterator()
        var slots = left.makeIterator()
        while let slot = slots.nextSlot() {
            let neighbour = neighbours.nextSlot()
            let isSame = neighbour?.key == slot.key
            guard slot.value == (isSame ? neighbour?.value : right.value(of: slot.key)) else { return false }
        }
        return true
    }

    /// Adds up the hashes of the members, so that the order does not count.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in self {
            var member = Hasher()
            key.hashCodePoints(into: &member)
            value.hash(into: &member)
            sum &+= member.finalize()
        }
        hasher.combine(self.count)
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Members in this order; of a repeated key the last value wins.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(elements)
    }
}
