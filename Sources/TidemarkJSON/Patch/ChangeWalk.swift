/// Walks two tapes side by side and lists what is different.
struct ChangeWalk {
    private let before: TapeView
    private let after: TapeView
    private let limit: Int
    private(set) var list: [Change] = []

    /// The paths of the changes inside an object may have `limit` bytes together; beyond it the object is one value.
    init(before: TapeView, after: TapeView, limit: Int) {
        self.before = before
        self.after = after
        self.limit = limit
        self.list.reserveCapacity(8)
    }

    /// Lists the changes between two values, and gives the bytes of their paths; nil if the values are equal.
    mutating func visit(_ old: Int, _ new: Int, key: Int, prefix: Int) -> Int? {
        let (left, right) = (self.before[old], self.after[new])
        guard left.kind == TapeNode.Kind.object, right.kind == TapeNode.Kind.object else {
            // Most often nothing changed, and equal bytes are equal values.
            if unsafe self.before.token(left).isEqual(to: self.after.token(right)) { return nil }
            guard !self.before.isEqual(at: old, to: self.after, at: new) else { return nil }
            self.append(key: key, before: old, after: new)
            return prefix
        }
        let place = self.list.count
        self.list.append(Change(key: Int32(key), before: Int32(old), after: Int32(new), isWhole: false, end: 0))
        let bytes = self.members(old, new, prefix: prefix)
        guard self.list.count > place + 1 else {
            self.list.removeLast()
            return nil
        }
        guard bytes <= self.limit else {
            self.list.removeSubrange(place...)
            self.append(key: key, before: old, after: new)
            return prefix
        }
        self.list[place].end = Int32(self.list.count)
        return bytes
    }

    /// Most often both have the same keys in the same order, and nothing has to be looked up or decoded. Where they part,
    /// a look-up says where the other one goes on.
    private mutating func members(_ old: Int, _ new: Int, prefix: Int) -> Int {
        let end = self.after.childrenEnd(new)
        var (key, neighbour) = (old &+ 1, new &+ 1)
        var (bytes, kept) = (0, 0)
        for _ in 0..<self.before[old].count {
            let below = prefix + self.before[key].length - 1
            if let found = self.counterpart(of: key, neighbour, end, in: new) {
                kept += 1
                bytes += self.visit(key &+ 1, found &+ 1, key: key, prefix: below) ?? 0
                neighbour = found &+ 1 &+ self.after.size(found &+ 1)
            } else {
                self.append(key: key, before: key &+ 1, after: Int(Change.nothing))
                bytes += below
            }
            key = key &+ 1 &+ self.before.size(key &+ 1)
        }
        return kept < self.after[new].count ? bytes + self.added(old, new, prefix: prefix) : bytes
    }

    @inline(__always)
    private func counterpart(of key: Int, _ neighbour: Int, _ end: Int, in new: Int) -> Int? {
        neighbour < end && self.before.isSameKey(key, self.after, neighbour)
            ? neighbour : self.after.key(key, of: self.before, in: new)
    }

    private mutating func added(_ old: Int, _ new: Int, prefix: Int) -> Int {
        var bytes = 0
        var key = new + 1
        for _ in 0..<self.after[new].count {
            if self.before.key(key, of: self.after, in: old) == nil {
                self.append(key: key, before: Int(Change.nothing), after: key + 1)
                bytes += prefix + self.after[key].length - 1
            }
            key += 1 + self.after.size(key + 1)
        }
        return bytes
    }

    private mutating func append(key: Int, before: Int, after: Int) {
        let end = Int32(self.list.count + 1)
        self.list.append(
            Change(key: Int32(key), before: Int32(before), after: Int32(after), isWhole: true, end: end))
    }
}
