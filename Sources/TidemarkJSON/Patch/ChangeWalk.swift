/// Compares two tapes side by side and lists the differences.
struct ChangeWalk {
    private let before: TapeView
    private let after: TapeView
    private let limit: Int
    private(set) var list: [Change] = []

    /// The paths of the changes inside an object may have `limit` bytes in total; beyond it the object is one value.
    init(before: TapeView, after: TapeView, limit: Int) {
        self.before = before
        self.after = after
        self.limit = limit
    }

    /// Lists the changes between two values, and returns the bytes of their paths; nil if the values are equal.
    mutating func visit(_ old: Int, _ new: Int, key: Int, prefix: Int) -> Int? {
        self.visit(old, new, key: key, prefix: prefix, same: self.sameBytes(old, new, in: old, new))
    }

    /// The tokens begin with exactly `same` equal bytes.
    private mutating func visit(_ old: Int, _ new: Int, key: Int, prefix: Int, same: Int) -> Int? {
        let (left, right) = (self.before[old], self.after[new])
        // Usually nothing changed, and equal bytes are equal values.
        if same == left.length, same == right.length { return nil }
        guard left.kind == TapeNode.Kind.object, right.kind == TapeNode.Kind.object else {
            // The bytes differ.
            let mayBeEqual = left.kind == right.kind && !(left.isSpelledOneWay && right.isSpelledOneWay)
            if mayBeEqual, self.before.isEqual(at: old, to: self.after, at: new) { return nil }
            self.append(key: key, before: old, after: new)
            return prefix
        }
        let place = self.list.count
        if place == 0 { self.list.reserveCapacity(8) }
        self.list.append(Change(key: Int32(key), before: Int32(old), after: Int32(new), isWhole: false, end: 0))
        let bytes = self.members(old, new, prefix: prefix, same: same)
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

    /// Usually both have the same keys in the same order, and no key has to be looked up or decoded. At a difference, a look-up
    /// finds the position in the other object.
    private mutating func members(_ old: Int, _ new: Int, prefix: Int, same: Int) -> Int {
        let (end, lastEnd) = (self.after.childrenEnd(new), self.before.childrenEnd(old))
        var (key, neighbor) = (old &+ 1, new &+ 1)
        var (bytes, kept) = (0, 0)
        // Up to this position the bytes before equal those after, shifted by the distance of the neighbor.
        var alike = Int(self.before[old].start) &+ same
        while key < lastEnd {
            let value = key &+ 1
            let next = value &+ self.before.size(value)
            // The bytes after a value are equal as well: it ends at the same position on both sides.
            guard Int(self.before[value].end) >= alike else {
                (neighbor, key, kept) = (neighbor &+ (next &- key), next, kept &+ 1)
                continue
            }
            let below = prefix + self.before[key].length - 1
            let known = alike &- Int(self.before[value].start)
            if let found = known >= 0 ? neighbor : self.counterpart(of: key, neighbor, end, in: new) {
                // If no byte of it is known to be equal, there may be space before one of them.
                let same = known > 0 ? known : self.sameBytes(value, found &+ 1, in: value, found &+ 1)
                bytes += self.visit(value, found &+ 1, key: key, prefix: below, same: same) ?? 0
                (neighbor, kept) = (found &+ 1 &+ self.after.size(found &+ 1), kept &+ 1)
            } else {
                self.append(key: key, before: value, after: Int(Change.nothing))
                bytes += below
            }
            key = next
            if key < lastEnd, neighbor < end {
                alike = Int(self.before[key].start) &+ self.sameBytes(key, neighbor, in: old, new)
            }
        }
        return kept < self.after[new].count ? bytes + self.added(old, new, prefix: prefix) : bytes
    }

    /// Returns how many equal bytes two texts begin with, each from a token to the end of a value that contains it.
    @inline(__always)
    private func sameBytes(_ old: Int, _ new: Int, in oldValue: Int, _ newValue: Int) -> Int {
        let left = unsafe self.before.bytes(Int(self.before[old].start)..<Int(self.before[oldValue].end))
        let right = unsafe self.after.bytes(Int(self.after[new].start)..<Int(self.after[newValue].end))
        return unsafe left.commonPrefix(with: right)
    }

    @inline(__always)
    private func counterpart(of key: Int, _ neighbor: Int, _ end: Int, in new: Int) -> Int? {
        neighbor < end && self.before.isSameKey(key, self.after, neighbor)
            ? neighbor : self.after.key(key, of: self.before, in: new)
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
