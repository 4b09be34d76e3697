/// The nodes of a tape while it is built. They are in borrowed memory, and on the heap when they outgrow it.
@safe struct TapeNodes: ~Copyable {
    /// From this many children on there is an index block; below it a linear search is as fast.
    static let indexThreshold = 32

    /// A lower bound for the bytes of text per node in most texts. If the reserved room is too small, the nodes are copied and
    /// need twice their memory for a moment; reserved room that is not filled costs no memory.
    static let bytesOfNode = 8

    /// From this many bytes of text on room is reserved. The nodes of a smaller one fit in the room on the stack, or are copied at
    /// little cost.
    static let reservedText = 16 * 1024

    private var nodes: UnsafeMutablePointer<TapeNode>
    private var capacity: Int
    private var isOnHeap = false

    /// The number of nodes.
    private(set) var count = 0

    /// Starts in borrowed memory, which outlives the nodes.
    init(lent room: UnsafeMutableBufferPointer<TapeNode>) {
        if let base = room.baseAddress {
            unsafe self.nodes = base
            self.capacity = room.count
        } else {
            unsafe self.nodes = .allocate(capacity: 16)
            self.capacity = 16
            self.isOnHeap = true
        }
    }

    deinit {
        if self.isOnHeap { unsafe self.nodes.deallocate() }
    }

    /// The finished nodes.
    var all: UnsafeBufferPointer<TapeNode> {
        unsafe UnsafeBufferPointer(start: self.nodes, count: self.count)
    }

    subscript(place: Int) -> TapeNode {
        @inline(__always) get { unsafe self.nodes[place] }
        @inline(__always) set { unsafe self.nodes[place] = newValue }
    }

    @inline(__always)
    mutating func append(start: Int, end: Int, link: UInt32, info: UInt32) {
        if self.count == self.capacity { self.grow(to: self.count &+ 1) }
        let node = TapeNode(
            start: UInt32(truncatingIfNeeded: start), end: UInt32(truncatingIfNeeded: end), link: link, info: info)
        unsafe (self.nodes + self.count).initialize(to: node)
        self.count &+= 1
    }

    /// Appends a copy of another tape's nodes, their tokens moved by `shift` bytes.
    mutating func append(_ run: UnsafeBufferPointer<TapeNode>, movedBy shift: Int) {
        guard let source = run.baseAddress else { return }
        if self.count + run.count > self.capacity { self.grow(to: self.count + run.count) }
        let target = unsafe self.nodes + self.count
        self.count += run.count
        var copied = 0
        while copied < run.count {
            let end = unsafe Self.indexPlace(in: run, from: copied)
            unsafe Self.copy(source + copied, to: target + copied, count: end - copied, movedBy: shift)
            guard end < run.count else { return }
            let block = Int(unsafe source[end].link)
            unsafe (target + end).update(from: source + end, count: block)
            copied = end + block
        }
    }

    /// The position of the next index block, or the end.
    private static func indexPlace(in run: UnsafeBufferPointer<TapeNode>, from first: Int) -> Int {
        // A container with few children has no index.
        guard run.count > TapeNodes.indexThreshold else { return run.count }
        var place = first
        while place < run.count, unsafe run[place].kind != TapeNode.Kind.index { place += 1 }
        return place
    }

    /// Moves the start and the end of a token by one addition for all words of its node.
    private static func copy(
        _ source: UnsafePointer<TapeNode>, to target: UnsafeMutablePointer<TapeNode>, count: Int, movedBy shift: Int
    ) {
        let shift = UInt32(truncatingIfNeeded: shift)
        let shifts = SIMD4(shift, shift, 0, 0)
        let (from, to) = unsafe (UnsafeRawPointer(source), UnsafeMutableRawPointer(target))
        var offset = 0
        while offset < count &* MemoryLayout<TapeNode>.stride {
            let words = unsafe from.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self)
            unsafe to.storeBytes(of: words &+ shifts, toByteOffset: offset, as: SIMD4<UInt32>.self)
            offset &+= MemoryLayout<TapeNode>.stride
        }
    }

    /// Makes room for this many nodes.
    mutating func reserveCapacity(_ count: Int) {
        if count > self.capacity { self.grow(to: count) }
    }

    @inline(never)
    private mutating func grow(to needed: Int) {
        let capacity = max(needed, self.capacity * 2)
        let larger = UnsafeMutablePointer<TapeNode>.allocate(capacity: capacity)
        unsafe larger.update(from: self.nodes, count: self.count)
        if self.isOnHeap { unsafe self.nodes.deallocate() }
        unsafe self.nodes = larger
        self.capacity = capacity
        self.isOnHeap = true
    }

    /// Removes the contents of the last array or object, which is closed: from here on only its token is known.
    @inline(never)
    mutating func forget(inside open: Int) {
        self[open].link = 1
        self[open].info &= ~TapeNode.Flag.indexed
        self.count = open &+ 1
    }

    // MARK: The end of an array or object

    /// Links an array to the next value, and makes its index if it needs one: if all elements are scalars, an element is found
    /// by counting.
    mutating func closeArray(_ open: Int) {
        let count = self[open].count
        if count >= TapeNodes.indexThreshold, self.count - open - 1 != count {
            let block = self.appendIndex(slots: count)
            var child = open + 1
            unsafe self.withSlots(of: block) { nodes, slots in
                for place in 0..<count {
                    unsafe slots[place] = UInt32(truncatingIfNeeded: child - open)
                    child += Int(unsafe nodes[child].link)
                }
            }
            self[open].info |= TapeNode.Flag.indexed
        }
        self[open].link = UInt32(truncatingIfNeeded: self.count - open)
    }

    /// Links an object to the next value, makes its index if it needs one, and returns whether a key occurs twice.
    mutating func closeObject(_ open: Int, over bytes: UnsafePointer<UInt8>) -> Bool {
        let count = self[open].count
        let isSmall = count < TapeNodes.indexThreshold
        let isRepeated = unsafe isSmall && count > 1 && self.hasRepeatedKey(open, count: count, over: bytes)
        return unsafe self.linkObject(open, over: bytes) || isRepeated
    }

    /// Links an object to the next value, and makes its index if it needs one. Only an object with an index is searched
    /// for a repeated key.
    @discardableResult
    mutating func linkObject(_ open: Int, over bytes: UnsafePointer<UInt8>) -> Bool {
        let count = self[open].count
        var isRepeated = false
        if count >= TapeNodes.indexThreshold {
            isRepeated = unsafe self.indexObject(open, count: count, over: bytes)
            self[open].info |= TapeNode.Flag.indexed
        }
        self[open].link = UInt32(truncatingIfNeeded: self.count - open)
        return isRepeated
    }

    /// The number of slots of the index of an object: a power of two, at most half of them used.
    static func slotCount(ofMembers count: Int) -> Int {
        1 << (Int.bitWidth - (2 * count - 1).leadingZeroBitCount)
    }

    private mutating func appendIndex(slots: Int) -> Int {
        let block = self.count
        let nodeCount = 1 + (slots + 3) / 4
        if block + nodeCount > self.capacity { self.grow(to: block + nodeCount) }
        self.append(
            start: 0, end: 0, link: UInt32(truncatingIfNeeded: nodeCount), info: TapeNode.Kind.index)
        unsafe (self.nodes + self.count).update(
            repeating: TapeNode(start: 0, end: 0, link: 0, info: 0), count: nodeCount - 1)
        self.count += nodeCount - 1
        return block
    }

    private func withSlots(
        of block: Int, _ body: (UnsafeMutablePointer<TapeNode>, UnsafeMutablePointer<UInt32>) -> Void
    ) {
        let count = (Int(self[block].link) - 1) * 4
        unsafe (self.nodes + block + 1).withMemoryRebound(to: UInt32.self, capacity: count) {
            unsafe body(self.nodes, $0)
        }
    }

    private mutating func indexObject(_ open: Int, count: Int, over bytes: UnsafePointer<UInt8>) -> Bool {
        let slotCount = TapeNodes.slotCount(ofMembers: count)
        let block = self.appendIndex(slots: slotCount)
        var isRepeated = false
        unsafe self.withSlots(of: block) { nodes, slots in
            let view = unsafe TapeView(nodes: nodes, bytes: bytes)
            var key = open + 1
            for _ in 0..<count {
                var slot = Int(unsafe nodes[key].link) & (slotCount - 1)
                while unsafe slots[slot] != 0, !view.isSameKey(open + Int(unsafe slots[slot]), key) {
                    slot = (slot + 1) & (slotCount - 1)
                }
                // A repeated key uses no additional slot: a million of them would collide.
                if unsafe slots[slot] != 0 { isRepeated = true }
                unsafe slots[slot] = UInt32(truncatingIfNeeded: key - open)
                key += 1 + Int(unsafe nodes[key + 1].link)
            }
        }
        return isRepeated
    }

    /// A key is compared with others only if another one has set the same mark.
    private func hasRepeatedKey(_ open: Int, count: Int, over bytes: UnsafePointer<UInt8>) -> Bool {
        var marks = SIMD4<UInt64>()
        var key = open &+ 1
        for _ in 0..<count {
            let hash = unsafe self.nodes[key].link
            let word = Int(hash >> 6 & 3)
            let bit = 1 as UInt64 &<< UInt64(hash & 63)
            if marks[word] & bit != 0, unsafe self.comesBefore(key, from: open, over: bytes) { return true }
            marks[word] |= bit
            key = unsafe key &+ 1 &+ Int(self.nodes[key &+ 1].link)
        }
        return false
    }

    private func comesBefore(_ last: Int, from open: Int, over bytes: UnsafePointer<UInt8>) -> Bool {
        let view = unsafe TapeView(nodes: self.nodes, bytes: bytes)
        var key = open + 1
        while key < last {
            if view.isSameKey(key, last) { return true }
            key += 1 + Int(self[key + 1].link)
        }
        return false
    }
}
