extension JSON {
    /// How many bytes of text fit into a `String` without a heap allocation.
    private static let smallText = 15

    /// Makes the value at a position of a tape. A small value is copied, since that is cheaper than a reference to the tape.
    @inline(__always)
    init(_ tape: Tape, _ view: TapeView, _ place: Int) {
        let node = view[place]
        if node.kind < TapeNode.Kind.array, node.length <= JSON.smallText, let scalar = JSON(scalar: node, of: view) {
            self = scalar
        } else {
            self.init(storage: .tape(tape, UInt32(truncatingIfNeeded: place)))
        }
    }

    /// Makes a scalar of a tape with its own copy of the text; nil for an array or object.
    init?(scalar node: TapeNode, of view: TapeView) {
        guard node.kind < TapeNode.Kind.array else { return nil }
        self.init(native: node, of: view)
    }

    /// Makes a scalar of a tape with its own copy of the text.
    init(native node: TapeNode, of view: TapeView) {
        switch node.kind {
        case TapeNode.Kind.true: self.init(storage: .bool(true))
        case TapeNode.Kind.false: self.init(storage: .bool(false))
        case TapeNode.Kind.number: self.init(storage: .number(JSONNumber(node, of: view)))
        case TapeNode.Kind.string: self.init(storage: .string(JSONString(node, of: view)))
        default: self.init(storage: .null)
        }
    }

    /// The tape of this value, and the position; a value that is not on a tape is copied to a new one.
    var onTape: (tape: Tape, place: Int) {
        if case .tape(let tape, let place) = self.storage { return (tape, Int(place)) }
        return TapeBuilder.with(nodes: JSON.nodesOnStack, bytes: JSON.bytesOnStack) {
            (builder: consuming TapeBuilder) in
            builder.append(self)
            return (builder.tape, 0)
        }
    }
}

extension JSONNumber {
    init(_ node: TapeNode, of view: TapeView) {
        unsafe self.init(checkedText: String(decoding: unsafe view.token(node), as: UTF8.self))
    }
}

extension JSONString {
    init(_ node: TapeNode, of view: TapeView) {
        unsafe self.init(checkedSource: String(decoding: unsafe view.source(node), as: UTF8.self))
    }
}

extension TapeView {
    /// The decoded string of a string or key.
    @inline(__always)
    func string(_ node: TapeNode) -> String {
        unsafe node.has(TapeNode.Flag.escapes)
            ? JSONString.decoded(self.source(node)) : String(decoding: self.source(node), as: UTF8.self)
    }
}

extension Tape {
    /// The elements of an array.
    func elements(of array: Int) -> [JSON] {
        self.read { view in
            var elements: [JSON] = []
            let count = view[array].count
            elements.reserveCapacity(count)
            var child = array + 1
            for _ in 0..<count {
                elements.append(JSON(self, view, child))
                child += view.size(child)
            }
            return elements
        }
    }

    /// The members of an object.
    func members(of object: Int) -> JSONMembers {
        self.read { view in
            var members = JSONMembers()
            let count = view[object].count
            members.reserveCapacity(count)
            var child = object + 1
            for _ in 0..<count {
                members.append(
                    JSONMembers.Slot(key: JSONString(view[child], of: view), value: JSON(self, view, child + 1)))
                child += 1 + view.size(child + 1)
            }
            return members
        }
    }

    /// The member of a value that may be an object.
    func member(_ key: String, of place: Int) -> JSON? {
        self.read { view in
            guard view[place].kind == TapeNode.Kind.object, let value = view.member(key, of: place) else { return nil }
            return JSON(self, view, value)
        }
    }

    /// The element of a value that may be an array.
    func element(_ index: Int, of place: Int) -> JSON? {
        self.read { view in
            guard view[place].kind == TapeNode.Kind.array, 0..<view[place].count ~= index else { return nil }
            return JSON(self, view, view.element(index, of: place))
        }
    }
}
