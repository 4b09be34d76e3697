/// Goes through changes in the order of their paths, which is that of a canonical patch (SPEC §4).
struct ChangeOrder {
    /// So many members are put in order one by one.
    private static let few = 12

    private let changes: ChangesView

    init(_ changes: ChangesView) {
        self.changes = changes
    }

    /// Visits the outermost values that came, went or were put in place of others, at a place of the list, which is not
    /// whole, or below it, with the text of the pointer to the object that each is in.
    func visit(_ place: Int, at path: inout [UInt8], _ body: (Change, [UInt8]) -> Void) {
        let count = self.memberCount(of: place)
        unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { members in
            var next = place + 1
            for index in 0..<count {
                unsafe members[index] = next
                next = Int(self.changes.list[next].end)
            }
            unsafe self.sort(members)
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

    private func sort(_ members: UnsafeMutableBufferPointer<Int>) {
        var members = unsafe members
        guard members.count <= Self.few else {
            let isSorted = unsafe zip(members, members.dropFirst()).allSatisfy(self.changes.precedes)
            if !isSorted { unsafe members.sort(by: self.changes.precedes) }
            return
        }
        // What a person changes is a handful, and nearly in order: then this is the quickest, and needs no room.
        for end in 1..<max(1, members.count) {
            var place = end
            while place > 0, unsafe self.changes.precedes(members[place], members[place - 1]) {
                unsafe members.swapAt(place, place - 1)
                place -= 1
            }
        }
    }
}
