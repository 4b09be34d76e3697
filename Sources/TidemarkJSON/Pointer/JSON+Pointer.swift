extension JSON {
    /// The value at `pointer` (RFC 6901 §4), or nil if no value has this path.
    ///
    /// A member that is `null` gives `.null`, not nil. The step `-` names the position after an array's last element, which has
    /// no value.
    ///
    /// Setting a value replaces the value at the path, or adds it: a member to its object, an element to the end of its array.
    /// Setting nil removes the member or the element. If the containing object or array is missing, nothing happens, as with
    /// optional chaining; setting nil at the root does nothing.
    ///
    /// ```swift
    /// try await notes["42"].edit { note in
    ///     note[pointer: try JSONPointer(parsing: "/address/city")] = "Bergen"
    ///     note[pointer: try JSONPointer(parsing: "/tags/-")] = "home"   // one more tag
    /// }
    /// ```
    ///
    /// One access takes time that is linear in the size of the document.
    public subscript(pointer pointer: JSONPointer) -> JSON? {
        get {
            var value = self
            for token in pointer.tokens {
                guard let next = value.child(token) else { return nil }
                value = next
            }
            return value
        }
        set {
            let isThere = self[pointer: pointer] != nil
            let operation: JSONPatch.Operation =
                switch newValue {
                case .some(let value): isThere ? .replace(pointer, value) : .add(pointer, value)
                case nil: .remove(pointer)
                }
            // The limits are for patches from outside; the other subscripts have none.
            let limits = JSON.Limits(nestingDepth: .max, bytes: .max)
            if let changed = try? JSONPatch([operation]).apply(to: self, limits: limits) { self = changed }
        }
    }

    /// The member or the element one step down.
    package func child(_ token: String) -> JSON? {
        switch self.kindOfValue {
        case .object: self[token]
        case .array: JSONPointer.index(token).flatMap { self[$0] }
        case .null, .bool, .number, .string: nil
        }
    }
}
