extension JSON {
    /// The value at `pointer` (RFC 6901 §4), or nil if no value has this path.
    ///
    /// A member that is `null` gives `.null`, not nil. The step `-` names the position after an array's last element, which has
    /// no value.
    ///
    /// Setting a value replaces the value at the path, or adds it: a member to its object, an element to the end of its array.
    /// Setting nil removes the member or the element, and changes nothing if there is none.
    ///
    /// A value that can't be set is a mistake of the caller, and traps in a debug build, while a release build changes nothing:
    /// the containing object or array is missing, a step into an array is not an index of it, or the root is set to nil. If
    /// that depends on the data, use ``setValue(_:at:)``, which throws.
    ///
    /// ```swift
    /// try await client["notes"]["42"].edit { note in
    ///     note[pointer: "/address/city"] = "Bergen"
    ///     note[pointer: "/tags/-"] = "home"               // one more tag
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
            do throws(JSONError) {
                try self.setValue(newValue, at: pointer)
            } catch {
                assertionFailure("\(error) Use setValue(_:at:) if the path may be missing.")
            }
        }
    }

    /// Sets the value at `pointer`, as the subscript does, or removes it (nil).
    ///
    /// ```swift
    /// var note: JSON = ["lines": [["id": "b", "text": "Milk"]]]
    /// try note.setValue("Oat milk", at: JSONPointer(parsing: "/lines/0/text"))
    /// ```
    ///
    /// In an array with the rule `.keyed`, the path of a clash names an element by its key: it is no pointer into the record.
    /// `FieldRules.setting(_:to:in:)` sets a value at such a path.
    ///
    /// - Throws: `JSONError` with the code `.patch` if the containing object or array is missing, if a step into an array is
    ///   not an index of it, or if the root would be removed. Then nothing is changed.
    public mutating func setValue(_ value: JSON?, at pointer: JSONPointer) throws(JSONError) {
        let isThere = self[pointer: pointer] != nil
        let operation: JSONPatch.Operation =
            switch value {
            case .some(let value): isThere ? .replace(pointer, value) : .add(pointer, value)
            case nil: .remove(pointer)
            }
        if value == nil {
            guard !pointer.isRoot else { throw .patch("A value can't be removed from itself.", at: pointer.text) }
            try self.checkSteps(of: pointer)
            guard isThere else { return }
        }
        // The limits are for patches from outside; the other subscripts have none.
        let limits = JSON.Limits(nestingDepth: .max, bytes: .max)
        guard let changed = try JSONPatch([operation]).apply(to: self, limits: limits) else { return }
        self = changed
    }

    /// Checks that each step into an array is an index, or `-`: any other step, such as the key of an element, finds nothing in
    /// any array.
    private func checkSteps(of pointer: JSONPointer) throws(JSONError) {
        var value = self
        for token in pointer.tokens {
            if value.kindOfValue == .array, token != "-", JSONPointer.index(token) == nil {
                throw .patch("“\(token)” is not an index of an array.", at: pointer.text)
            }
            guard let next = value.child(token) else { return }
            value = next
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
