import TidemarkJSON

/// The keys of the open objects, as hashes, and the keys that came twice in one.
struct SeenKeys {
    /// A key that came before in its object.
    struct Repeated {
        let name: String
        let offset: Int
    }

    /// The keys of one object.
    private struct Level {
        /// So many are compared one by one, which is faster than a set.
        private static let few = 32

        private var first: [UInt64] = []
        private var others: Set<UInt64> = []

        var count: Int { self.first.count + self.others.count }

        /// - Returns: Whether the key is new.
        mutating func insert(_ key: UInt64) -> Bool {
            guard !self.first.contains(key) else { return false }
            guard self.first.count == Self.few else {
                self.first.append(key)
                return true
            }
            return self.others.insert(key).inserted
        }

        mutating func removeAll() {
            self.first.removeAll(keepingCapacity: true)
            if !self.others.isEmpty { self.others.removeAll(keepingCapacity: self.others.count < 1_000) }
        }
    }

    /// How many keys of one object are compared; those after them are not.
    static let limit = 1_000_000

    /// The first repeated keys of the text, and one more.
    private(set) var repeated: [Repeated] = []
    private(set) var repeatedCount = 0

    /// One for each open object, used again by the next object there.
    private var levels: [Level] = []
    private var level = -1

    mutating func open() {
        self.level += 1
        if self.level == self.levels.count { self.levels.append(Level()) }
    }

    mutating func close() {
        self.levels[self.level].removeAll()
        self.level -= 1
    }

    mutating func note(_ key: UnsafeBufferPointer<UInt8>, at offset: Int) {
        guard self.levels[self.level].count < Self.limit else { return }
        guard unsafe !self.levels[self.level].insert(KeyHash.wide(key)) else { return }
        self.repeatedCount += 1
        guard self.repeated.count <= JSON.Warning.described else { return }
        self.repeated.append(Repeated(name: unsafe String(decoding: key, as: UTF8.self), offset: offset))
    }
}
