/// Copies values to a new tape, as compact text.
@safe struct TapeBuilder: ~Copyable {
    private var nodes: TapeNodes
    private var bytes: TapeBytes

    /// Begins with borrowed memory, which outlives the builder.
    private init(lent room: UnsafeMutableBufferPointer<TapeNode>, _ bytes: UnsafeMutableBufferPointer<UInt8>) {
        self.nodes = unsafe TapeNodes(lent: room)
        self.bytes = unsafe TapeBytes(lent: bytes)
    }

    /// Lets `body` build a tape. The expected memory is allocated at once; if more is needed, it only takes longer.
    static func with<Result>(nodes: Int, bytes: Int, _ body: (consuming TapeBuilder) -> Result) -> Result {
        unsafe withUnsafeTemporaryAllocation(of: TapeNode.self, capacity: nodes) { room in
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes) { bytes in
                body(unsafe TapeBuilder(lent: room, bytes))
            }
        }
    }

    /// The tape built so far.
    var tape: Tape {
        unsafe Tape(nodes: self.nodes.all, bytes: self.bytes.all)
    }

    /// Appends a value with all its contents.
    mutating func append(_ json: JSON) {
        switch json.storage {
        case .null: self.append("null", TapeNode.Kind.null)
        case .bool(let value): self.append(value ? "true" : "false", value ? TapeNode.Kind.true : TapeNode.Kind.false)
        case .number(let number): self.append(number.text, TapeNode.Kind.number | number.flags)
        case .string(let string): self.append(string, isKey: false)
        case .array(let elements): self.append(elements)
        case .members(let members): self.append(members)
        case .tape(let tape, let place): tape.read { self.append($0, Int(place)) }
        }
    }

    /// Appends a copy of a value of another tape.
    mutating func append(_ view: TapeView, _ place: Int) {
        let node = view[place]
        guard node.kind >= TapeNode.Kind.array, node.has(TapeNode.Flag.loose) else {
            let shift = self.bytes.count - Int(node.start)
            unsafe self.bytes.append(view.token(node))
            // A key's link is its hash, and a key is one node.
            unsafe self.nodes.append(view.run(place), movedBy: shift)
            return
        }
        self.appendLoose(view, place)
    }

    /// Appends a copy of a key of another tape, after a comma if it is not the first.
    mutating func append(key: Int, of view: TapeView) {
        let node = view[key]
        self.startChild()
        let start = self.bytes.count
        unsafe self.bytes.append(view.token(node))
        self.nodes.append(start: start, end: self.bytes.count, link: node.link, info: node.info)
        self.bytes.append(UInt8(ascii: ":"))
    }

    /// Appends copies of some members of an object of another tape, from a key to the end of a value.
    mutating func append(members range: Range<Int>, of object: Int, on view: TapeView) {
        guard !range.isEmpty else { return }
        guard !view[object].has(TapeNode.Flag.loose) else {
            var key = range.lowerBound
            while key < range.upperBound {
                self.append(key: key, of: view)
                self.append(view, key + 1)
                key += 1 + view.size(key + 1)
            }
            return
        }
        self.startChild()
        let start = Int(view[range.lowerBound].start)
        // The byte after it is the comma of the next member, or the bracket.
        let isToTheEnd = range.upperBound == view.childrenEnd(object)
        let end = Int(isToTheEnd ? view[object].end : view[range.upperBound].start) - 1
        unsafe self.nodes.append(view.nodes(range), movedBy: self.bytes.count - start)
        unsafe self.bytes.append(view.bytes(start..<end))
    }

    /// Appends a key, after a comma if it is not the first.
    mutating func append(key: JSONString) {
        self.startChild()
        self.append(key, isKey: true)
        self.bytes.append(UInt8(ascii: ":"))
    }

    /// Begins an array or object; returns its index.
    mutating func open(_ kind: UInt32) -> Int {
        self.bytes.append(kind == TapeNode.Kind.object ? UInt8(ascii: "{") : UInt8(ascii: "["))
        self.nodes.append(start: self.bytes.count - 1, end: 0, link: 0, info: kind)
        return self.nodes.count - 1
    }

    /// Appends the comma before a child, unless it is the first one.
    mutating func startChild() {
        guard let last = self.bytes.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") else { return }
        self.bytes.append(UInt8(ascii: ","))
    }

    /// Ends an array or object with `count` children.
    mutating func close(_ open: Int, count: Int) {
        let isObject = self.nodes[open].kind == TapeNode.Kind.object
        self.bytes.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        self.nodes[open].end = UInt32(self.bytes.count)
        self.nodes[open].info |= UInt32(count) << TapeNode.countShift
        guard isObject else {
            self.nodes.closeArray(open)
            return
        }
        guard let base = unsafe self.bytes.all.baseAddress else { return }
        unsafe self.nodes.linkObject(open, over: base)
    }

    private mutating func append(_ elements: [JSON]) {
        let open = self.open(TapeNode.Kind.array)
        for element in elements {
            self.startChild()
            self.append(element)
        }
        self.close(open, count: elements.count)
    }

    private mutating func append(_ members: JSONMembers) {
        let open = self.open(TapeNode.Kind.object)
        var rest = members.makeIterator()
        while let slot = rest.next() {
            self.append(key: slot.key)
            self.append(slot.value)
        }
        self.close(open, count: members.count)
    }

    private mutating func appendLoose(_ view: TapeView, _ place: Int) {
        let node = view[place]
        let open = self.open(node.kind)
        var child = place + 1
        for _ in 0..<node.count {
            if node.kind == TapeNode.Kind.object {
                self.append(key: child, of: view)
                child += 1
            } else {
                self.startChild()
            }
            self.append(view, child)
            child += view.size(child)
        }
        self.close(open, count: node.count)
    }

    private mutating func append(_ text: String, _ info: UInt32) {
        let start = self.bytes.count
        self.bytes.append(text)
        self.nodes.append(start: start, end: self.bytes.count, link: 1, info: info)
    }

    private mutating func append(_ string: JSONString, isKey: Bool) {
        let start = self.bytes.count
        var source = string.source
        let (flags, link) = source.withUTF8 { source in
            self.bytes.append(UInt8(ascii: "\""))
            unsafe self.bytes.append(source)
            self.bytes.append(UInt8(ascii: "\""))
            let flags = unsafe JSONString.flags(of: source)
            guard isKey else { return (flags, 1 as UInt32) }
            let hasEscapes = flags & TapeNode.Flag.escapes != 0
            return unsafe (flags, hasEscapes ? KeyHash.ofEscaped(source) : KeyHash.of(source))
        }
        self.nodes.append(start: start, end: self.bytes.count, link: link, info: TapeNode.Kind.string | flags)
    }
}

extension JSONString {
    /// Whether the source has no escape and no character beyond ASCII.
    package static func isPlain(_ source: UnsafeBufferPointer<UInt8>) -> Bool { unsafe self.flags(of: source) == 0 }

    /// The flags that a scan finds for this source.
    fileprivate static func flags(of source: UnsafeBufferPointer<UInt8>) -> UInt32 {
        var (bits, escapes) = (UInt8(0), UInt8(0))
        // Without an early exit the compiler vectorizes the loop.
        for index in 0..<source.count {
            let byte = unsafe source[index]
            bits |= byte
            escapes |= byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return (escapes != 0 ? TapeNode.Flag.escapes : 0) | (bits >= 0x80 ? TapeNode.Flag.beyondASCII : 0)
    }
}

extension JSONNumber {
    /// The flags that a scan finds for this number.
    fileprivate var flags: UInt32 {
        if self.text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) { return TapeNode.Flag.exponent }
        return self.text.utf8.contains(UInt8(ascii: ".")) || self.text == "-0" ? 0 : TapeNode.Flag.plainInteger
    }
}
