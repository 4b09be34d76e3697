extension JSON {
    /// The value at `pointer` (RFC 6901 §4), or nil where there is none.
    ///
    /// A member that is `null` gives `.null`, not nil. The step `-` names the element after an array's last, where
    /// nothing is.
    public subscript(pointer pointer: JSONPointer) -> JSON? {
        var value = self
        for token in pointer.tokens {
            guard let next = value.child(token) else { return nil }
            value = next
        }
        return value
    }

    /// The member or the element one step down.
    func child(_ token: String) -> JSON? {
        switch self.kindOfValue {
        case .object: self[token]
        case .array: JSONPointer.index(token).flatMap { self[$0] }
        case .null, .bool, .number, .string: nil
        }
    }
}
