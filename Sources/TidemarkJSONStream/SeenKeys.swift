import TidemarkJSON

/// The keys of the open objects, as hashes, and the keys that came twice in one.
struct SeenKeys {
    /// A key that came before in its object.
    struct Repeated {
        let name: String
        let offset: Int
    }

    /// How many keys of one object are compared; those after them are not.
    static let limit = 1_000_000

    /// The first repeated keys of the text, and one more.
    private(set) var repeated: [Repeated] = []
    private(set) var repeatedCount = 0

    /// One set for each level, used again by the next object there.
    private var sets: [Set<UInt64>] = []
    private var level = -1

    mutating func open() {
        self.level += 1
        if self.level == self.sets.count { self.sets.append([]) }
    }

    mutating func close() {
        self.sets[self.level].removeAll(keepingCapacity: self.sets[self.level].count < 1_000)
        self.level -= 1
    }

    mutating func note(_ key: UnsafeBufferPointer<UInt8>, at offset: Int) {
        guard self.sets[self.level].count < Self.limit else { return }
        var hasher = Hasher()
        unsafe hasher.combine(bytes: UnsafeRawBufferPointer(key))
        let isNew = self.sets[self.level].insert(UInt64(truncatingIfNeeded: Int64(hasher.finalize()))).inserted
        guard !isNew else { return }
        self.repeatedCount += 1
        guard self.repeated.count <= JSON.Warning.described else { return }
        self.repeated.append(Repeated(name: unsafe String(decoding: key, as: UTF8.self), offset: offset))
    }
}
