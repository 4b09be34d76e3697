extension ChangesView {
    /// Whether the pointers of one change come before those of another member of the same object.
    func precedes(_ left: Int, _ right: Int) -> Bool {
        let (mine, theirs) = (self.list[left], self.list[right])
        return unsafe self.withName(of: mine) { name in
            unsafe self.withName(of: theirs) { other in
                let same = unsafe name.commonPrefix(with: other)
                return unsafe Self.rank(of: name, at: same, mine) < Self.rank(of: other, at: same, theirs)
            }
        }
    }

    /// What a byte of a name counts where pointers are put in order: there `~` is `~0` and `/` is `~1`. Behind its end a
    /// pointer ends as well, or goes on with `/`.
    private static func rank(of name: UnsafeBufferPointer<UInt8>, at place: Int, _ change: Change) -> UInt16 {
        guard place < name.count else { return change.isWhole ? 0 : UInt16(UInt8(ascii: "/")) << 8 | 1 }
        switch unsafe name[place] {
        case UInt8(ascii: "~"): return UInt16(UInt8(ascii: "~")) << 8 | UInt16(UInt8(ascii: "0"))
        case UInt8(ascii: "/"): return UInt16(UInt8(ascii: "~")) << 8 | UInt16(UInt8(ascii: "1"))
        case let byte: return UInt16(byte) << 8 | 1
        }
    }
}
