/// Fills a tape from a text, strictly by RFC 8259, in one pass over its bytes.
///
/// It only reports that a text is wrong. ``TextCheck`` and ``FaultFinder``, which may be slow, find the position and the
/// reason.
@safe struct TapeScanner: ~Copyable {
    /// Why a scan stopped.
    enum Stop: Error {
        case nesting(at: Int)
        case mistake
    }

    let base: UnsafeRawPointer
    let count: Int
    let depthLimit: Int32

    /// The maximum number of brackets around a value whose contents are kept; deeper contents are checked as strictly.
    var depthKept = Int32.max

    let seed = KeyHash.Seed()

    var nodes: TapeNodes

    /// Whether a key occurred twice in an object: then the tape is not final.
    private(set) var hasRepeatedKeys = false

    /// Why the scan stopped, if it did.
    private(set) var stop: Stop?

    /// The position of the last white space outside strings.
    private var lastSpace = -1

    /// The innermost open bracket, or -1; the one around it is in its link.
    private var open = -1
    private var depth: Int32 = 0

    /// The number of children of the innermost open bracket so far.
    private var children = 0

    init(_ input: UnsafeBufferPointer<UInt8>, depthLimit: Int, room: UnsafeMutableBufferPointer<TapeNode>) {
        // An empty text has no address, and is not read.
        unsafe self.base = UnsafeRawPointer(input.baseAddress ?? UnsafePointer(bitPattern: 1).unsafelyUnwrapped)
        self.count = input.count
        self.depthLimit = Int32(clamping: depthLimit)
        self.nodes = unsafe TapeNodes(lent: room)
    }

    @inline(__always)
    func byte(_ at: Int) -> UInt8 {
        // After the end the byte is 0, which is never expected.
        at < self.count ? unsafe self.base.load(fromByteOffset: at, as: UInt8.self) : 0
    }

    /// Reads the whole text; if it returns false, ``stop`` is the reason.
    mutating func scan() -> Bool {
        guard let end = self.readValue(at: self.skipSpace(0)), self.skipSpace(end) == self.count else {
            if self.stop == nil { self.stop = .mistake }
            return false
        }
        return true
    }

    /// Reads a value with all its contents, and returns the position after it.
    private mutating func readValue(at start: Int) -> Int? {
        var at = start
        while true {
            guard let next = self.readOpening(at) else { return nil }
            at = next
            // A bracket was opened, and a value or key in it is next.
            if at < 0 {
                at = ~at
                continue
            }
            while true {
                if self.open < 0 { return at }
                at = self.skipSpace(at)
                let byte = self.byte(at)
                if byte == UInt8(ascii: ",") {
                    at = self.skipSpace(at &+ 1)
                    guard self.isInObject else { break }
                    guard let value = self.readKey(at) else { return nil }
                    at = value
                    break
                }
                let open = self.open
                guard self.close(byte, at) else { return nil }
                if self.depth > self.depthKept { self.nodes.forget(inside: open) }
                at &+= 1
            }
        }
    }

    private var isInObject: Bool {
        @inline(__always) get { self.nodes[self.open].kind == TapeNode.Kind.object }
    }

    /// Reads a scalar or an opening bracket; for a bracket with contents, returns their position, inverted.
    @inline(__always)
    private mutating func readOpening(_ at: Int) -> Int? {
        self.children &+= 1
        switch self.byte(at) {
        case UInt8(ascii: "\""): return self.readString(at)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return self.readNumber(at)
        case UInt8(ascii: "{"): return self.openObject(at)
        case UInt8(ascii: "["): return self.openArray(at)
        case UInt8(ascii: "t"): return self.readWord(at, 0x6575_7274, length: 4, TapeNode.Kind.true)
        case UInt8(ascii: "n"): return self.readWord(at, 0x6C6C_756E, length: 4, TapeNode.Kind.null)
        case UInt8(ascii: "f"): return self.readWord(at &+ 1, 0x6573_6C61, length: 5, TapeNode.Kind.false)
        default: return nil
        }
    }

    @inline(__always)
    private mutating func openObject(_ at: Int) -> Int? {
        guard self.openBracket(at, TapeNode.Kind.object) else { return nil }
        let inside = self.skipSpace(at &+ 1)
        if self.byte(inside) == UInt8(ascii: "}") {
            return self.close(UInt8(ascii: "}"), inside) ? inside &+ 1 : nil
        }
        return self.readKey(inside).map { ~$0 }
    }

    @inline(__always)
    private mutating func openArray(_ at: Int) -> Int? {
        guard self.openBracket(at, TapeNode.Kind.array) else { return nil }
        let inside = self.skipSpace(at &+ 1)
        if self.byte(inside) == UInt8(ascii: "]") {
            return self.close(UInt8(ascii: "]"), inside) ? inside &+ 1 : nil
        }
        return ~inside
    }

    @inline(__always)
    private mutating func openBracket(_ at: Int, _ kind: UInt32) -> Bool {
        guard self.depth < self.depthLimit else {
            self.stop = .nesting(at: at)
            return false
        }
        self.depth &+= 1
        // While it is open, its link is the bracket around it, and its end stores the count of that one.
        let open = self.nodes.count
        self.nodes.append(start: at, end: self.children, link: UInt32(truncatingIfNeeded: self.open), info: kind)
        self.open = open
        self.children = 0
        return true
    }

    @inline(__always)
    private mutating func close(_ byte: UInt8, _ at: Int) -> Bool {
        let open = self.open
        var node = self.nodes[open]
        let isObject = node.kind == TapeNode.Kind.object
        guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")), self.children <= TapeNode.countLimit else {
            return false
        }
        self.open = Int(Int32(bitPattern: node.link))
        node.info |= UInt32(truncatingIfNeeded: self.children) &<< TapeNode.countShift
        if self.lastSpace > Int(node.start) { node.info |= TapeNode.Flag.loose }
        self.children = Int(node.end)
        node.end = UInt32(truncatingIfNeeded: at &+ 1)
        self.nodes[open] = node
        self.depth &-= 1
        if isObject {
            if unsafe self.nodes.closeObject(open, over: self.base.assumingMemoryBound(to: UInt8.self)) {
                self.hasRepeatedKeys = true
            }
        } else {
            self.nodes.closeArray(open)
        }
        return true
    }

    /// Reads a key and its colon, and returns the position of the value.
    @inline(__always)
    private mutating func readKey(_ at: Int) -> Int? {
        guard self.byte(at) == UInt8(ascii: "\"") else { return nil }
        let (end, flags) = self.string(at &+ 1)
        guard end > 0 else { return nil }
        let source = unsafe UnsafeRawBufferPointer(start: self.base + at + 1, count: end &- at &- 2)
        let hash =
            flags & TapeNode.Flag.escapes == 0
            ? unsafe KeyHash.of(self.base + at + 1, source.count, self.seed)
            : unsafe KeyHash.ofEscaped(source.assumingMemoryBound(to: UInt8.self))
        self.nodes.append(start: at, end: end, link: hash, info: TapeNode.Kind.string | flags)
        let colon = self.skipSpace(end)
        guard self.byte(colon) == UInt8(ascii: ":") else { return nil }
        return self.skipSpace(colon &+ 1)
    }

    @inline(__always)
    private mutating func readString(_ at: Int) -> Int? {
        let (end, flags) = self.string(at &+ 1)
        guard end > 0 else { return nil }
        self.nodes.append(start: at, end: end, link: 1, info: TapeNode.Kind.string | flags)
        return end
    }

    /// Reads the last four letters of a word, which may begin one letter before.
    @inline(__always)
    private mutating func readWord(_ tail: Int, _ letters: UInt32, length: Int, _ kind: UInt32) -> Int? {
        let end = tail &+ 4
        guard end <= self.count,
            unsafe UInt32(littleEndian: self.base.loadUnaligned(fromByteOffset: tail, as: UInt32.self)) == letters
        else { return nil }
        self.nodes.append(start: end &- length, end: end, link: 1, info: kind)
        return end
    }

    @inline(__always)
    private mutating func skipSpace(_ at: Int) -> Int {
        self.byte(at) > 0x20 ? at : self.skipMoreSpace(at)
    }

    @inline(never)
    private mutating func skipMoreSpace(_ start: Int) -> Int {
        var at = start
        while at < self.count {
            let byte = unsafe self.base.load(fromByteOffset: at, as: UInt8.self)
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { break }
            at &+= 1
        }
        if at > start { self.lastSpace = at &- 1 }
        return at
    }
}
