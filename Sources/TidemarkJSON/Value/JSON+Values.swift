// Members and elements as Swift values. If both fit, as for a literal, the subscripts and functions for `JSON` are
// chosen.

extension JSON {
    /// The member with this name as a Swift value: nil if it is missing or has another type. Setting nil removes it.
    @_disfavoredOverload
    public subscript<Value: JSONConvertible>(dynamicMember key: String) -> Value? {
        get { self[key] }
        set { self[key] = newValue }
    }

    /// The member with this key as a Swift value: nil if it is missing or has another type. Setting nil removes it.
    @_disfavoredOverload
    public subscript<Value: JSONConvertible>(key: String) -> Value? {
        get {
            let member: JSON? = self[key]
            return member.flatMap { Value(json: $0) }
        }
        set {
            let member: JSON? = newValue.map(\.json)
            self[key] = member
        }
    }

    /// The element at an index as a Swift value: nil if it is missing or has another type. Setting works as for `JSON`.
    @_disfavoredOverload
    public subscript<Value: JSONConvertible>(index: Int) -> Value? {
        get {
            let element: JSON? = self[index]
            return element.flatMap { Value(json: $0) }
        }
        set {
            let element: JSON? = newValue.map(\.json)
            self[index] = element
        }
    }

    /// The member with this key, or a default value; so a member that may be missing is changed in place.
    ///
    /// ```swift
    /// try await client["notes"]["42"].edit { $0["tags", default: []].append("home") }
    /// ```
    public subscript(key: String, default value: @autoclosure () -> JSON) -> JSON {
        get { self[key] ?? value() }
        _modify {
            var member: JSON = self[key] ?? value()
            // Drops the member's other reference, so that it is changed in place.
            self[key] = JSON.null
            defer { self[key] = member }
            yield &member
        }
    }

    /// Appends an element. A value that is not an array becomes an array with only this element.
    ///
    /// ```swift
    /// try await client["notes"]["42"].edit { $0.tags?.append("home") }
    /// ```
    public mutating func append(_ element: JSON) {
        guard var elements = self.array else {
            self = .array([element])
            return
        }
        self = .null
        elements.append(element)
        self = .array(elements)
    }

    /// Appends a Swift value. A value that is not an array becomes an array with only this element.
    @_disfavoredOverload
    public mutating func append(_ element: some JSONConvertible) {
        self.append(element.json)
    }
}
