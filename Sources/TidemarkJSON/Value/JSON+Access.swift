extension JSON {
    /// Whether this is the value `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The truth value, or nil if this is not a boolean.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number with its text, or nil if this is not a number.
    public var number: JSONNumber? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The whole number, or nil if this is not a number, has a fraction, or does not fit. `1e2` and `1.0` are whole.
    public var int: Int? {
        self.number?.int
    }

    /// The nearest double, or nil if this is not a number or lies beyond the range of doubles.
    public var double: Double? {
        self.number?.double
    }

    /// The decoded string, or nil if this is not a string.
    public var string: String? {
        if case .string(let value) = self { value.value } else { nil }
    }

    /// The elements, or nil if this is not an array.
    public var array: [JSON]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, or nil if this is not an object.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The element at an index.
    ///
    /// Reading gives nil if this is not an array or has no such element. Setting puts a value in an element's place, or,
    /// at the index behind the last one, at the end; setting nil removes the element. What is no array counts as an empty
    /// one, and at any other index nothing happens, as with `?` where nothing is.
    ///
    /// ```swift
    /// try await notes["42"].edit { $0.tags?[0] = "home" }
    /// ```
    public subscript(index: Int) -> JSON? {
        get {
            guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
            return elements[index]
        }
        set {
            guard case .array(var elements) = self else {
                if index == 0, let newValue { self = .array([newValue]) }
                return
            }
            // Gives up this value's own reference first, so that the elements are changed in place.
            self = .null
            switch newValue {
            case .some(let value) where index == elements.endIndex: elements.append(value)
            case .some(let value) where elements.indices.contains(index): elements[index] = value
            case nil where elements.indices.contains(index): elements.remove(at: index)
            case .some, nil: break
            }
            self = .array(elements)
        }
    }

    /// The member with this key.
    ///
    /// Reading gives nil if this is not an object or has no such member. Setting nil removes the member; setting a
    /// value on what is not an object replaces it by an object with this one member.
    public subscript(key: String) -> JSON? {
        get {
            guard case .object(let object) = self else { return nil }
            return object[key]
        }
        set {
            guard case .object(var object) = self else {
                if let newValue {
                    self = .object(JSONObject([(key, newValue)]))
                }
                return
            }
            // Gives up this value's own reference first, so that the members are changed in place.
            self = .null
            object[key] = newValue
            self = .object(object)
        }
    }

    /// The member with this name; the same as `self[key]`, but for the names this type declares itself (`text`,
    /// `string`, …), which are reached as `self["text"]`.
    public subscript(dynamicMember key: String) -> JSON? {
        get { self[key] }
        set { self[key] = newValue }
    }
}
