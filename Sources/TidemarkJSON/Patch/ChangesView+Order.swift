extension ChangesView {
    /// Whether the pointers of one change come before those of another member of the same object.
    func precedes(_ left: Int, _ right: Int) -> Bool {
        let (mine, theirs) = (self.list[left], self.list[right])
        return unsafe self.withName(of: mine) { name in
            unsafe self.withName(of: theirs) { unsafe Self.precedes(name, mine, $0, theirs) }
        }
    }

    /// Returns members of one object in the order of their pointers. A name with escapes is decoded once, and not at each
    /// comparison.
    func sorted(_ members: [Int]) -> [Int] {
        guard members.contains(where: { self.keyNode(self.list[$0]).has(TapeNode.Flag.escapes) }) else {
            return members.sorted { self.precedes($0, $1) }
        }
        var named = members.map { member in
            (member: member, name: unsafe self.withName(of: self.list[member]) { unsafe Array($0) })
        }
        named.sort { left, right in
            unsafe left.name.withUnsafeBufferPointer { name in
                unsafe right.name.withUnsafeBufferPointer { other in
                    unsafe Self.precedes(name, self.list[left.member], other, self.list[right.member])
                }
            }
        }
        return named.map(\.member)
    }

    private static func precedes(
        _ name: UnsafeBufferPointer<UInt8>, _ mine: Change, _ other: UnsafeBufferPointer<UInt8>, _ theirs: Change
    ) -> Bool {
        let same = unsafe name.commonPrefix(with: other)
        return unsafe Self.rank(of: name, at: same, mine) < Self.rank(of: other, at: same, theirs)
    }

    /// The rank of a byte of a name in the order of pointers: there `~` is `~0` and `/` is `~1`. After the end of the name a
    /// pointer either ends, or has a `/`.
    private static func rank(of name: UnsafeBufferPointer<UInt8>, at place: Int, _ change: Change) -> UInt16 {
        guard place < name.count else { return change.isWhole ? 0 : UInt16(UInt8(ascii: "/")) << 8 | 1 }
        switch unsafe name[place] {
        case UInt8(ascii: "~"): return UInt16(UInt8(ascii: "~")) << 8 | UInt16(UInt8(ascii: "0"))
        case UInt8(ascii: "/"): return UInt16(UInt8(ascii: "~")) << 8 | UInt16(UInt8(ascii: "1"))
        case let byte: return UInt16(byte) << 8 | 1
        }
    }
}
