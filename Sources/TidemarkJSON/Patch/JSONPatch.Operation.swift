extension JSONPatch {
    /// One change, or one test, of a patch (RFC 6902 §4).
    public enum Operation: Sendable, Hashable {
        /// Adds a value, replaces an existing member, or inserts before an array's element (section 4.1).
        case add(JSONPointer, JSON)

        /// Removes the value, which must exist (section 4.2).
        case remove(JSONPointer)

        /// Replaces the value, which must exist (section 4.3).
        case replace(JSONPointer, JSON)

        /// Removes the value from one path and adds it at another (section 4.4).
        case move(from: JSONPointer, to: JSONPointer)

        /// Adds the value of one path at another too (section 4.5).
        case copy(from: JSONPointer, to: JSONPointer)

        /// Refuses the whole patch unless the value at the path is equal to this one (section 4.6).
        case test(JSONPointer, JSON)
    }
}

extension JSONPatch.Operation {
    /// The value of the member `op`.
    public var name: String {
        switch self {
        case .add: "add"
        case .remove: "remove"
        case .replace: "replace"
        case .move: "move"
        case .copy: "copy"
        case .test: "test"
        }
    }

    /// The path that is changed or tested.
    public var path: JSONPointer {
        switch self {
        case .add(let path, _), .remove(let path), .replace(let path, _), .test(let path, _): path
        case .move(_, let path), .copy(_, let path): path
        }
    }

    /// The path from which a `move` or a `copy` takes its value; nil for other operations.
    public var from: JSONPointer? {
        switch self {
        case .move(let from, _), .copy(let from, _): from
        case .add, .remove, .replace, .test: nil
        }
    }

    /// The value of an `add`, a `replace` or a `test`; nil for other operations.
    public var value: JSON? {
        switch self {
        case .add(_, let value), .replace(_, let value), .test(_, let value): value
        case .remove, .move, .copy: nil
        }
    }
}
