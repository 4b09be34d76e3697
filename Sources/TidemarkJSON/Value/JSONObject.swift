/// The members of a JSON object: insertion order, keys compared by code point, each key with its original spelling.
///
/// Equality and hashing ignore the order. Lookup, setting and removal take constant time. Members of a parsed text are read in
/// place until one is set.
public struct JSONObject: Sendable {
    enum Storage: Sendable {
        case members(JSONMembers)
        /// An object on a tape.
        case tape(Tape, UInt32)
    }

    private var storage: Storage

    /// An object without members.
    public init() {
        self.storage = .members(JSONMembers())
    }

    /// Members in this order; of a repeated key the last value wins, at the first one's position.
    public init(_ members: some Sequence<(String, JSON)>) {
        var new = JSONMembers()
        for (key, value) in members {
            new[key] = value
        }
        self.init(new)
    }

    init(_ members: JSONMembers) {
        self.storage = .members(members)
    }

    init(_ tape: Tape, _ place: Int) {
        self.storage = .tape(tape, UInt32(place))
    }

    /// The object as a value.
    var json: JSON {
        switch self.storage {
        case .members(let members): JSON(storage: .members(members))
        case .tape(let tape, let place): JSON(storage: .tape(tape, place))
        }
    }

    /// The members, copied off their tape.
    var members: JSONMembers {
        switch self.storage {
        case .members(let members): members
        case .tape(let tape, let place): tape.members(of: Int(place))
        }
    }

    /// The number of members.
    public var count: Int {
        switch self.storage {
        case .members(let members): members.count
        case .tape(let tape, let place): tape.read { $0[Int(place)].count }
        }
    }

    /// Whether there are no members.
    public var isEmpty: Bool {
        self.count == 0
    }

    /// The keys in order, decoded.
    public var keys: [String] {
        var keys: [String] = []
        keys.reserveCapacity(self.count)
        var rest = self.makeIterator()
        while let key = rest.nextKey() { keys.append(key) }
        return keys
    }

    /// The member with this key. Setting keeps the position of a known key and appends a new one; setting nil removes it.
    public subscript(key: String) -> JSON? {
        get {
            switch self.storage {
            case .members(let members): members[key]
            case .tape(let tape, let place): tape.member(key, of: Int(place))
            }
        }
        set {
            if case .tape(let tape, let place) = self.storage,
                case .tape(let changed, let root) = tape.setting(key, to: newValue, of: Int(place))?.storage
            {
                self.storage = .tape(changed, root)
                return
            }
            var members = self.members
            // Drops this value's own reference first, so that the members are changed in place.
            self.storage = .members(JSONMembers())
            members[key] = newValue
            self.storage = .members(members)
        }
    }

    /// The member with a key of another object, whose spelling may differ.
    func value(of key: JSONString) -> JSON? {
        switch self.storage {
        case .members(let members): members.value(of: key)
        case .tape(let tape, let place): tape.member(key.value, of: Int(place))
        }
    }
}

extension JSONObject: Sequence {
    /// Iterates over the members in order.
    public struct Iterator: IteratorProtocol {
        private enum Rest {
            case members(JSONMembers.Iterator)
            case tape(Tape, key: Int, left: Int)
        }

        private var rest: Rest

        fileprivate init(_ members: JSONMembers) {
            self.rest = .members(members.makeIterator())
        }

        fileprivate init(_ tape: Tape, _ place: Int) {
            self.rest = .tape(tape, key: place + 1, left: tape.read { $0[place].count })
        }

        /// The next member, its key decoded.
        public mutating func next() -> (key: String, value: JSON)? {
            guard case .tape(let tape, let key, let left) = self.rest else {
                return self.nextSlot().map { ($0.key.value, $0.value) }
            }
            guard left > 0 else { return nil }
            return tape.read { view in
                self.rest = .tape(tape, key: key + 1 + view.size(key + 1), left: left - 1)
                return (view.string(view[key]), JSON(tape, view, key + 1))
            }
        }

        /// The next member, its key as it was written.
        mutating func nextSlot() -> JSONMembers.Slot? {
            switch self.rest {
            case .members(var members):
                let slot = members.next()
                self.rest = .members(members)
                return slot
            case .tape(let tape, let key, let left):
                guard left > 0 else { return nil }
                return tape.read { view in
                    self.rest = .tape(tape, key: key + 1 + view.size(key + 1), left: left - 1)
                    return JSONMembers.Slot(key: JSONString(view[key], of: view), value: JSON(tape, view, key + 1))
                }
            }
        }

        /// The next key, decoded.
        fileprivate mutating func nextKey() -> String? {
            guard case .tape(let tape, let key, let left) = self.rest else { return self.nextSlot()?.key.value }
            guard left > 0 else { return nil }
            return tape.read { view in
                self.rest = .tape(tape, key: key + 1 + view.size(key + 1), left: left - 1)
                return view.string(view[key])
            }
        }
    }

    /// Starts at the first member.
    public func makeIterator() -> Iterator {
        switch self.storage {
        case .members(let members): Iterator(members)
        case .tape(let tape, let place): Iterator(tape, Int(place))
        }
    }

    /// The number of members.
    public var underestimatedCount: Int { self.count }
}

extension JSONObject: Hashable {
    /// Whether both have the same keys with equal values, in any order. The left one's keys are looked up in the right one, so
    /// that a small object on the left makes little work.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        switch (left.storage, right.storage) {
        case (.tape(let mine, let here), .tape(let theirs, let there)):
            return mine.isEqual(at: Int(here), to: theirs, at: Int(there))
        case (.members(let mine), .members(let theirs)):
            return mine == theirs
        case (.members, .tape), (.tape, .members):
            var slots = left.makeIterator()
            while let slot = slots.nextSlot() {
                guard slot.value == right.value(of: slot.key) else { return false }
            }
            return true
        }
    }

    /// Adds the hashes of the members, so that the order does not count.
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
