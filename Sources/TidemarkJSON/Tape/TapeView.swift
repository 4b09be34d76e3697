/// A view of a tape, valid only during ``Tape/read(_:)``. Its indexes are not checked: they come from the tape itself.
@safe struct TapeView {
    private let nodes: UnsafePointer<TapeNode>
    private let bytes: UnsafePointer<UInt8>

    @inline(__always)
    init(nodes: UnsafePointer<TapeNode>, bytes: UnsafePointer<UInt8>) {
        unsafe self.nodes = nodes
        unsafe self.bytes = bytes
    }

    subscript(place: Int) -> TapeNode {
        @inline(__always) get { unsafe self.nodes[place] }
    }

    /// The bytes of a token; of a string with its quotes.
    @inline(__always)
    func token(_ node: TapeNode) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: self.bytes + Int(node.start), count: node.length)
    }

    /// The bytes between the quotes of a string or key.
    @inline(__always)
    func source(_ node: TapeNode) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: self.bytes + Int(node.start) + 1, count: node.length - 2)
    }

    /// All nodes of one value.
    func run(_ place: Int) -> UnsafeBufferPointer<TapeNode> {
        unsafe UnsafeBufferPointer(start: self.nodes + place, count: self.size(place))
    }

    /// How many nodes one value has.
    @inline(__always)
    func size(_ place: Int) -> Int { Int(self[place].link) }

    /// Some of the nodes.
    func nodes(_ range: Range<Int>) -> UnsafeBufferPointer<TapeNode> {
        unsafe UnsafeBufferPointer(start: self.nodes + range.lowerBound, count: range.count)
    }

    /// Some of the bytes.
    func bytes(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: self.bytes + range.lowerBound, count: range.count)
    }

    // MARK: Keys

    /// Whether two keys of this tape are equal when decoded.
    @inline(__always)
    func isSameKey(_ left: Int, _ right: Int) -> Bool { self.isSameKey(left, self, right) }

    /// Whether a key equals one of another tape when decoded.
    @inline(__always)
    func isSameKey(_ left: Int, _ other: TapeView, _ right: Int) -> Bool {
        let (mine, theirs) = (self[left], other[right])
        return mine.link == theirs.link && self.isSameString(mine, other, theirs)
    }

    /// Whether two strings are equal when decoded.
    @inline(__always)
    func isSameString(_ mine: TapeNode, _ other: TapeView, _ theirs: TapeNode) -> Bool {
        if unsafe mine.length == theirs.length && self.token(mine).isEqual(to: other.token(theirs)) { return true }
        guard (mine.info | theirs.info) & TapeNode.Flag.escapes != 0 else { return false }
        return self.decodesAlike(mine, other, theirs)
    }

    @inline(never)
    private func decodesAlike(_ mine: TapeNode, _ other: TapeView, _ theirs: TapeNode) -> Bool {
        guard JSONString.mayMean(mine.length - 2, theirs.length - 2),
            JSONString.mayMean(theirs.length - 2, mine.length - 2)
        else { return false }
        return unsafe JSONString.Decoding(self.source(mine).makeIterator())
            .elementsEqual(JSONString.Decoding(other.source(theirs).makeIterator()))
    }

    // MARK: Members and elements

    /// The index of the value of a member, or nil.
    func member(_ key: String, of object: Int) -> Int? {
        var key = key
        return key.withUTF8 { unsafe self.member(named: $0, of: object) }
    }

    /// The index of the value of a member by the bytes of its decoded key, or nil.
    @inline(__always)
    func member(named key: UnsafeBufferPointer<UInt8>, of object: Int) -> Int? {
        unsafe self.member(of: object, hash: KeyHash.of(key), decoded: key)
    }

    /// The index of the key of a member by another tape's key, or nil.
    func key(_ key: Int, of other: TapeView, in object: Int) -> Int? {
        self.key(in: object, hash: other[key].link) { self.isSameKey($0, other, key) }
    }

    @inline(__always)
    private func member(of object: Int, hash: UInt32, decoded: UnsafeBufferPointer<UInt8>) -> Int? {
        self.key(in: object, hash: hash) { place in
            let key = self[place]
            guard key.has(TapeNode.Flag.escapes) else { return unsafe self.source(key).isEqual(to: decoded) }
            return unsafe JSONString.mayMean(key.length - 2, decoded.count)
                && JSONString.Decoding(self.source(key).makeIterator()).elementsEqual(decoded)
        }.map { $0 + 1 }
    }

    @inline(__always)
    private func key(in object: Int, hash: UInt32, isWanted: (Int) -> Bool) -> Int? {
        let node = self[object]
        guard !node.has(TapeNode.Flag.indexed) else {
            return self.indexedKey(in: object, hash: hash, isWanted: isWanted)
        }
        var key = object &+ 1
        for _ in 0..<node.count {
            if self[key].link == hash, isWanted(key) { return key }
            key = key &+ 1 &+ self.size(key &+ 1)
        }
        return nil
    }

    @inline(never)
    private func indexedKey(in object: Int, hash: UInt32, isWanted: (Int) -> Bool) -> Int? {
        let slotCount = TapeNodes.slotCount(ofMembers: self[object].count)
        let slots = unsafe self.slots(slotCount, of: object)
        var slot = Int(hash) & (slotCount - 1)
        while unsafe slots[slot] != 0 {
            let key = object + Int(unsafe slots[slot])
            if self[key].link == hash, isWanted(key) { return key }
            slot = (slot + 1) & (slotCount - 1)
        }
        return nil
    }

    /// The index of an element, which must exist.
    func element(_ index: Int, of array: Int) -> Int {
        let node = self[array]
        if node.has(TapeNode.Flag.indexed) { return array + Int(unsafe self.slots(node.count, of: array)[index]) }
        if Int(node.link) - 1 == node.count { return array + 1 + index }
        var place = array + 1
        for _ in 0..<index { place += self.size(place) }
        return place
    }

    /// The end of the last child of an array or object, at which its index may begin.
    @inline(__always)
    func childrenEnd(_ place: Int) -> Int {
        let node = self[place]
        let end = place &+ Int(node.link)
        guard node.has(TapeNode.Flag.indexed) else { return end }
        let slots = node.kind == TapeNode.Kind.object ? TapeNodes.slotCount(ofMembers: node.count) : node.count
        return end - 1 - (slots + 3) / 4
    }

    /// The slots of the index, which ends where the value ends.
    private func slots(_ count: Int, of place: Int) -> UnsafePointer<UInt32> {
        let first = unsafe self.nodes + place + self.size(place) - (count + 3) / 4
        return unsafe UnsafeRawPointer(first).assumingMemoryBound(to: UInt32.self)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether both have the same bytes.
    @inline(__always)
    package func isEqual(to other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard self.count == other.count else { return false }
        guard let mine = unsafe UnsafeRawPointer(self.baseAddress),
            let theirs = unsafe UnsafeRawPointer(other.baseAddress)
        else { return true }
        return unsafe Bytes.areEqual(mine, theirs, self.count)
    }

    /// Whether these bytes come first in the order of their values, as a prefix does.
    @inline(__always)
    func precedes(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        let common = unsafe self.commonPrefix(with: other)
        guard common < self.count, common < other.count else { return self.count < other.count }
        return unsafe self[common] < other[common]
    }

    /// The number of equal bytes at the beginning of both.
    @inline(__always)
    func commonPrefix(with other: UnsafeBufferPointer<UInt8>) -> Int {
        guard let mine = unsafe UnsafeRawPointer(self.baseAddress),
            let theirs = unsafe UnsafeRawPointer(other.baseAddress)
        else { return 0 }
        return unsafe Bytes.commonPrefix(mine, theirs, Swift.min(self.count, other.count))
    }
}

/// Compares bytes without a function call for short keys.
enum Bytes {
    @inline(__always)
    static func areEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
        guard count >= 8 else { return unsafe Self.areFewEqual(left, right, count) }
        let last = count &- 8
        var offset = 0
        while offset < last {
            if unsafe Self.differ(left, right, at: offset, as: UInt64.self) { return false }
            offset &+= 8
        }
        // The last eight bytes may overlap the eight bytes before them.
        return unsafe !Self.differ(left, right, at: last, as: UInt64.self)
    }

    /// The number of equal bytes before the first difference.
    static func commonPrefix(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Int {
        var offset = 0
        while count &- offset >= 8 {
            let difference =
                unsafe left.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
                ^ right.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
            guard difference == 0 else { return offset &+ difference.trailingZeroBitCount / 8 }
            offset &+= 8
        }
        while offset < count, unsafe !Self.differ(left, right, at: offset, as: UInt8.self) { offset &+= 1 }
        return offset
    }

    @inline(__always)
    private static func areFewEqual(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
        if count >= 4 {
            return unsafe !Self.differ(left, right, at: 0, as: UInt32.self)
                && !Self.differ(left, right, at: count &- 4, as: UInt32.self)
        }
        if count >= 2, unsafe Self.differ(left, right, at: 0, as: UInt16.self) { return false }
        guard count > 0 else { return true }
        return unsafe !Self.differ(left, right, at: count &- 1, as: UInt8.self)
    }

    @inline(__always)
    private static func differ<Word: FixedWidthInteger & BitwiseCopyable>(
        _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, at offset: Int, as word: Word.Type
    ) -> Bool {
        unsafe left.loadUnaligned(fromByteOffset: offset, as: word)
            != right.loadUnaligned(fromByteOffset: offset, as: word)
    }
}
