// Members and elements as values of Swift. Where both fit, as for a literal, the subscripts and functions for `JSON` are
// taken.

extension JSON {
    /// The member with this name as a value of Swift: nil if there is none, or it is of another type. Setting nil
    /// removes it.
    @_disfavoredOverload
    public subscript<Value: JSONConvertible>(dynamicMember key: String) -> Value? {
        get { self[key] }
        set { self[key] = newValue }
    }

    /// The member with this key as a value of Swift: nil if there is none, or it is of another type. Setting nil
    /// removes it.
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

    /// The element at an index as a value of Swift: nil if there is none, or it is of another type. Setting does what it
    /// does for `JSON`.
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

    /// The member with this key, or what stands in for it; so a member that may be missing is changed in place.
    ///
    /// ```swift
    /// try await notes["42"].edit { $0["tags", default: []].append("home") }
    /// ```
    public subscript(key: String, default value: @autoclosure () -> JSON) -> JSON {
        get { self[key] ?? value() }
        _modify {
            var member: JSON = self[key] ?? value()
            // Gives up the member's other reference, so that it is changed in place.
            self[key] = JSON.null
            defer { self[key] = member }
            yield &member
        }
    }

    /// Puts an element at the end. What is no array becomes one with this element alone.
    ///
    /// ```swift
    /// try await notes["42"].edit { $0.tags?.append("home") }
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

    /// Puts a value of Swift at the end. What is no array becomes one with this element alone.
    @_disfavoredOverload
    public mutating func append(_ element: some JSONConvertible) {
        self.append(element.json)
    }
}
