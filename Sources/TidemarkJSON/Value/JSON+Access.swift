extension JSON {
    /// Whether this is the value `null`.
    public var isNull: Bool {
        self.kindOfValue == .null
    }

    /// The boolean, or nil if this is not a boolean.
    public var bool: Bool? {
        switch self.storage {
        case .bool(let value): value
        case .tape(let tape, let place):
            switch tape.read({ $0[Int(place)].kind }) {
            case TapeNode.Kind.true: true
            case TapeNode.Kind.false: false
            default: nil
            }
        case .null, .number, .string, .array, .members: nil
        }
    }

    /// The number with its text, or nil if this is not a number.
    public var number: JSONNumber? {
        switch self.storage {
        case .number(let value): value
        case .tape(let tape, let place):
            tape.read { view in
                let node = view[Int(place)]
                return node.kind == TapeNode.Kind.number ? JSONNumber(node, of: view) : nil
            }
        case .null, .bool, .string, .array, .members: nil
        }
    }

    /// The whole number, or nil if this is not a number, has a fraction, or does not fit. `1e2` and `1.0` are whole.
    public var int: Int? {
        self.number?.int
    }

    /// The nearest double, or nil if this is not a number or is out of the range of doubles.
    public var double: Double? {
        self.number?.double
    }

    /// The decoded string, or nil if this is not a string.
    public var string: String? {
        switch self.storage {
        case .string(let string): string.value
        case .tape(let tape, let place):
            tape.read { view in
                let node = view[Int(place)]
                return node.kind == TapeNode.Kind.string ? view.string(node) : nil
            }
        case .null, .bool, .number, .array, .members: nil
        }
    }

    /// Appends the UTF-8 of the decoded string, or its first bytes; nothing if this is not a string.
    ///
    /// - Parameter limit: The maximum number of bytes.
    package func appendText(to bytes: inout [UInt8], limit: Int) {
        guard case .tape(let tape, let place) = self.storage else {
            return bytes.append(contentsOf: (self.string ?? "").utf8.prefix(limit))
        }
        tape.read { view in
            let node = view[Int(place)]
            guard node.kind == TapeNode.Kind.string else { return }
            guard !node.has(TapeNode.Flag.escapes) else {
                return bytes.append(contentsOf: view.string(node).utf8.prefix(limit))
            }
            unsafe bytes.append(contentsOf: view.source(node).prefix(limit))
        }
    }

    /// The elements, or nil if this is not an array.
    public var array: [JSON]? {
        switch self.storage {
        case .array(let elements): elements
        case .tape(let tape, let place):
            self.kindOfValue == .array ? tape.elements(of: Int(place)) : nil
        case .null, .bool, .number, .string, .members: nil
        }
    }

    /// The members, or nil if this is not an object.
    public var object: JSONObject? {
        switch self.storage {
        case .members(let members): JSONObject(members)
        case .tape(let tape, let place):
            self.kindOfValue == .object ? JSONObject(tape, Int(place)) : nil
        case .null, .bool, .number, .string, .array: nil
        }
    }

    /// The members, copied off their tape, or nil if this is not an object.
    var members: JSONMembers? {
        switch self.storage {
        case .members(let members): members
        case .tape(let tape, let place):
            self.kindOfValue == .object ? tape.members(of: Int(place)) : nil
        case .null, .bool, .number, .string, .array: nil
        }
    }

    /// The element at an index.
    ///
    /// Reading gives nil if this is not an array or has no such element. Setting replaces an element, or, at the index after
    /// the last one, appends one; setting nil removes the element, if there is one. A value that is not an array counts as an
    /// empty one. A value at any other index is a mistake of the caller: it traps in a debug build, while a release build
    /// changes nothing.
    ///
    /// ```swift
    /// try await client["notes"]["42"].edit { $0.tags?[0] = "home" }
    /// ```
    public subscript(index: Int) -> JSON? {
        get {
            switch self.storage {
            case .array(let elements): elements.indices.contains(index) ? elements[index] : nil
            case .tape(let tape, let place): tape.element(index, of: Int(place))
            case .null, .bool, .number, .string, .members: nil
            }
        }
        set {
            guard var elements = self.array else {
                guard let newValue else { return }
                assert(index == 0, "There is no index \(index) in \(self.kindOfValue), which counts as an empty array.")
                if index == 0 { self = .array([newValue]) }
                return
            }
            // Drops this value's own reference first, so that the elements are changed in place.
            self = .null
            switch newValue {
            case .some(let value) where index == elements.endIndex: elements.append(value)
            case .some(let value) where elements.indices.contains(index): elements[index] = value
            case nil where elements.indices.contains(index): elements.remove(at: index)
            case .some:
                assertionFailure("There is no index \(index) in an array of \(elements.count) elements.")
            case nil: break
            }
            self = .array(elements)
        }
    }

    /// The member with this key.
    ///
    /// Reading gives nil if this is not an object or has no such member. Setting nil removes the member; setting a value on a
    /// value that is not an object replaces it by an object with this one member.
    public subscript(key: String) -> JSON? {
        get {
            switch self.storage {
            case .members(let members): members[key]
            case .tape(let tape, let place): tape.member(key, of: Int(place))
            case .null, .bool, .number, .string, .array: nil
            }
        }
        set {
            if case .tape(let tape, let place) = self.storage,
                let changed = tape.setting(key, to: newValue, of: Int(place))
            {
                self = changed
                return
            }
            guard var members = self.members else {
                if let newValue {
                    self = .object(JSONObject([(key, newValue)]))
                }
                return
            }
            // Drops this value's own reference first, so that the members are changed in place.
            self = .null
            members[key] = newValue
            self = JSON(storage: .members(members))
        }
    }

    /// The member with this name; the same as `self[key]`, except for the names that this type declares itself (`text`,
    /// `string`, …): write `self["text"]` for those.
    public subscript(dynamicMember key: String) -> JSON? {
        get { self[key] }
        set { self[key] = newValue }
    }
}
