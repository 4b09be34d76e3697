/// Visits changes in the order of their paths, which is the order of a canonical patch (Contract §4).
struct ChangeOrder {
    /// Up to this many members are sorted by insertion; of more each name is decoded once, if it has escapes.
    static let few = 12

    private let changes: ChangesView

    init(_ changes: ChangesView) {
        self.changes = changes
    }

    /// Visits the outermost values that were added, removed or replaced, at an index of the list, which is not whole, or below
    /// it, with the text of the pointer to the object that contains each.
    func visit(_ place: Int, at path: inout [UInt8], _ body: (Change, [UInt8]) -> Void) {
        let count = self.memberCount(of: place)
        guard count <= Self.few else {
            for member in self.sortedMembers(of: place, count) { self.visit(member: member, at: &path, body) }
            return
        }
        // The stack is limited to this, since objects can be nested deeply.
        unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: Self.few) { members in
            unsafe self.sort(members, of: place, count)
            for index in 0..<count { self.visit(member: unsafe members[index], at: &path, body) }
        }
    }

    private func visit(member: Int, at path: inout [UInt8], _ body: (Change, [UInt8]) -> Void) {
        let change = self.changes.list[member]
        guard !change.isWhole else { return body(change, path) }
        let length = path.count
        self.changes.appendStep(to: change, to: &path)
        self.visit(member, at: &path, body)
        path.removeLast(path.count - length)
    }

    private func memberCount(of place: Int) -> Int {
        var (count, next) = (0, place + 1)
        while next < self.changes.list[place].end {
            count += 1
            next = Int(self.changes.list[next].end)
        }
        return count
    }

    private func sortedMembers(of place: Int, _ count: Int) -> [Int] {
        var members: [Int] = []
        members.reserveCapacity(count)
        var isSorted = true
        var next = place + 1
        for _ in 0..<count {
            if isSorted, let last = members.last { isSorted = self.changes.precedes(last, next) }
            members.append(next)
            next = Int(self.changes.list[next].end)
        }
        return isSorted ? members : self.changes.sorted(members)
    }

    /// A user usually changes a few members, nearly in order: then insertion sort is the fastest.
    private func sort(_ members: UnsafeMutableBufferPointer<Int>, of place: Int, _ count: Int) {
        var next = place + 1
        for end in 0..<count {
            var place = end
            while place > 0, self.changes.precedes(next, unsafe members[place - 1]) {
                unsafe members[place] = unsafe members[place - 1]
                place -= 1
            }
            unsafe members[place] = next
            next = Int(self.changes.list[next].end)
        }
    }
}
