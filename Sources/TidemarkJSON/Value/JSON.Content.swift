extension JSON {
    /// A value by its type, to switch over.
    ///
    /// ```swift
    /// let note: JSON = ["milk", "bread"]
    /// switch note.byType {
    /// case .string(let string): print(string.value)
    /// case .array(let elements): print(elements.count)
    /// case .null, .bool, .number, .object: print(note)
    /// }
    /// ```
    public enum Content: Sendable, Hashable {
        /// The value `null`.
        case null
        /// `true` or `false`.
        case bool(Bool)
        /// A number with its text.
        case number(JSONNumber)
        /// A string with its escapes as they were written.
        case string(JSONString)
        /// The elements in order.
        case array([JSON])
        /// The members in the order in which they were written.
        case object(JSONObject)
    }

    /// Only the type of a value.
    package enum Kind {
        case null, bool, number, string, array, object
    }

    /// The value by its type. This makes the elements of a parsed array; `list[0]` finds an element without that.
    public var byType: Content {
        switch self.storage {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let number): .number(number)
        case .string(let string): .string(string)
        case .array(let elements): .array(elements)
        case .members(let members): .object(JSONObject(members))
        case .tape(let tape, let place): JSON.byType(of: tape, at: Int(place))
        }
    }

    private static func byType(of tape: Tape, at place: Int) -> Content {
        let node = tape.read { $0[place] }
        switch node.kind {
        case TapeNode.Kind.array: return .array(tape.elements(of: place))
        case TapeNode.Kind.object: return .object(JSONObject(tape, place))
        default: return tape.read { JSON(native: node, of: $0) }.byType
        }
    }

    /// The type of the value.
    package var kindOfValue: Kind {
        switch self.storage {
        case .null: .null
        case .bool: .bool
        case .number: .number
        case .string: .string
        case .array: .array
        case .members: .object
        case .tape(let tape, let place): JSON.kind(of: tape.read { $0[Int(place)].kind })
        }
    }

    private static func kind(of kind: UInt32) -> Kind {
        switch kind {
        case TapeNode.Kind.true, TapeNode.Kind.false: .bool
        case TapeNode.Kind.number: .number
        case TapeNode.Kind.string: .string
        case TapeNode.Kind.array: .array
        case TapeNode.Kind.object: .object
        default: .null
        }
    }

    /// The number of elements or members; 0 for a scalar.
    var childCount: Int {
        switch self.storage {
        case .null, .bool, .number, .string: 0
        case .array(let elements): elements.count
        case .members(let members): members.count
        case .tape(let tape, let place): tape.read { $0[Int(place)].count }
        }
    }
}

extension JSON: Hashable {
    /// Whether both have the same value, whatever their spelling.
    public static func == (left: JSON, right: JSON) -> Bool {
        if case .tape(let mine, let here) = left.storage, case .tape(let theirs, let there) = right.storage {
            return mine.isEqual(at: Int(here), to: theirs, at: Int(there))
        }
        // Counted before any contents are compared, so that a small value on one side makes little work.
        guard left.kindOfValue == right.kindOfValue, left.childCount == right.childCount else { return false }
        return left.byType == right.byType
    }

    /// Feeds the value.
    public func hash(into hasher: inout Hasher) {
        self.byType.hash(into: &hasher)
    }
}
