/// The keys that occur twice in one object: the first few of a text are described, the rest is counted, since a hostile text
/// has a million of them.
struct RepeatedKeys {
    private struct Key {
        /// The name of the key, then one step for each closed bracket around it, from the inside.
        var path: [JSONString]

        let offset: Int

        /// How many brackets around it are still open.
        var openDepth: Int
    }

    /// How many are described.
    private let limit: Int

    /// How many brackets must be open around a key; nil for any number.
    private let depth: Int?

    /// The first repeated keys, in the order of the text.
    private var first: [Key] = []

    /// How many are only counted.
    private var others = 0

    /// The offset of the first one that is only counted.
    private var firstOther = Int.max

    /// Describes the first `limit`, at one depth or at any.
    init(limit: Int, depth: Int? = nil) {
        self.limit = limit
        self.depth = depth
    }

    /// Notes a key with `depth` open brackets around it. An inner object ends before the outer one, so the offsets are not in
    /// order.
    mutating func note(_ key: JSONString, offset: Int, depth: Int) {
        guard self.depth == nil || self.depth == depth else { return }
        if self.first.count == self.limit {
            self.others += 1
            guard let last = self.first.last, offset < last.offset else {
                self.firstOther = min(self.firstOther, offset)
                return
            }
            self.firstOther = min(self.firstOther, last.offset)
            self.first.removeLast()
        }
        let place = self.first.firstIndex { $0.offset > offset } ?? self.first.endIndex
        self.first.insert(Key(path: [key], offset: offset, openDepth: depth), at: place)
    }

    /// Whether a key is inside the bracket at this depth, so that its path needs the step to the bracket.
    func lie(at depth: Int) -> Bool {
        self.first.contains { $0.openDepth == depth }
    }

    /// Closes the bracket at this depth; `step` leads to it from the bracket around it.
    mutating func close(at depth: Int, step: JSONString) {
        for place in self.first.indices where self.first[place].openDepth == depth {
            self.first[place].path.append(step)
            self.first[place].openDepth -= 1
        }
    }

    /// The warnings, in the order of the text.
    func warnings(in input: UnsafeBufferPointer<UInt8>) -> [JSON.Warning] {
        let offsets = self.first.map(\.offset) + (self.others > 0 ? [self.firstOther] : [])
        let places = unsafe TextPlace.places(ofOrdered: offsets, in: input)
        var warnings = zip(self.first, places).map { key, place in
            JSON.Warning(
                ofKey: key.path.first?.value ?? "",
                pointer: JSONPointer(tokens: key.path.reversed().map(\.value)).text, at: place)
        }
        if self.others > 0, let place = places.last {
            warnings.append(JSON.Warning(ofOthers: self.others, at: place))
        }
        return warnings
    }
}
