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

    /// The element at an index, or nil if this is not an array or has no such element.
    public subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
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
