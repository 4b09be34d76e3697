public import TidemarkJSON

// What the path of a clash or of a journal entry stands for: below an array with the rule `keyed` a step is a key.

extension FieldRules {
    /// The JSON pointer of what a clash names, with the places of arrays instead of the keys of their objects.
    ///
    /// - Returns: The pointer; nil when an object that the path leads through is not there. An object at the end of the
    ///   path that is not there stands at `-`, the end of its array (RFC 6901 §4).
    public func place(of path: JSONPointer, in record: JSON?) -> JSONPointer? {
        var place = JSONPointer.root
        var walked = JSONPointer.root
        for (depth, token) in path.tokens.enumerated() {
            var step = token
            if let keyed = self.rule(at: walked) as? KeyedFieldRule,
                let elements = record?[pointer: place]?.array
            {
                if let index = keyed.index(of: token, in: elements) {
                    step = String(index)
                } else {
                    guard depth == path.tokens.count - 1 else { return nil }
                    step = "-"
                }
            }
            place = place.appending(step)
            walked = walked.appending(token)
        }
        return place
    }

    /// The value that a clash names; nil when there is none.
    public func value(at path: JSONPointer, in record: JSON?) -> JSON? {
        self.place(of: path, in: record).flatMap { record?[pointer: $0] }
    }
}

extension KeyedFieldRule {
    /// Where the object with a key stands that a path calls by this name.
    fileprivate func index(of name: String, in elements: [JSON]) -> Int? {
        guard let keyed = KeyedElements(.array(elements), by: self.key) else { return nil }
        let names = KeyedNames(keyed.keys)
        let wanted = CodePointString(name)
        // Where only one is left of two keys that look alike, its own name has no quotes any more.
        return keyed.keys.firstIndex { CodePointString(names.name(of: $0)) == wanted }
            ?? keyed.keys.firstIndex { CodePointString($0.text) == wanted }
            ?? keyed.keys.firstIndex { $0.number != nil && $0.number == JSONNumber(name) }
    }
}
