public import TidemarkJSON

/// A member of a record by its JSON pointer, with the type of its value, for the conditions of a ``RecordQuery``.
///
/// ```swift
/// enum Field {
///     static let done = JSONField<Bool>("/done")
///     static let price = JSONField<JSON>("/price")
///     static let tag = JSONField<String>("/tags/*")
/// }
/// let query = RecordQuery(where: Field.done == false && Field.price > 2 && Field.tag == "home")
/// ```
///
/// The type is that of the values in conditions; it does not restrict the records: a record with another type of value at this
/// place is compared as it is. Use `JSON` if the place holds several types.
public struct JSONField<Value: JSONConvertible>: Hashable, Sendable {
    /// The JSON pointer, such as `/address/city`. One step may be `*`: then a condition is true if it is true for any element of
    /// the array.
    public let path: String

    /// Names a member. A text that is no JSON pointer is an error of each query that uses it,
    /// ``TidemarkError/Code/invalidQuery``.
    public init(_ path: String) {
        self.path = path
    }
}

extension JSONField {
    /// Whether the member exists. A member that is null exists.
    public var exists: RecordQuery.Condition { RecordQuery.Condition(.exists(self.path)) }

    /// Whether the member is missing.
    public var isMissing: RecordQuery.Condition { !self.exists }

    /// Whether the value equals one of the given values.
    public func isIn(_ values: [Value]) -> RecordQuery.Condition {
        RecordQuery.Condition(.isIn(self.path, values.map(\.json)))
    }

    /// Whether an array has this element, or a text contains this text.
    ///
    /// No index is used for it: to use an index of `/tags/*`, write `JSONField("/tags/*") == "home"`.
    ///
    /// - Parameter ignoringCase: Whether texts are compared in lower case, as Swift's `lowercased()` makes it. Elements of an
    ///   array that are texts are then compared in the same way.
    public func contains(_ element: some JSONConvertible, ignoringCase: Bool = false) -> RecordQuery.Condition {
        RecordQuery.Condition(.contains(self.path, element.json, ignoringCase: ignoringCase))
    }
}

extension JSONField where Value == String {
    /// Whether the text begins with this text, by code point.
    public func startsWith(_ beginning: String) -> RecordQuery.Condition {
        RecordQuery.Condition(.startsWith(self.path, beginning))
    }
}

extension JSONField where Value == JSON {
    /// Whether the value is a text that begins with this text, by code point.
    public func startsWith(_ beginning: String) -> RecordQuery.Condition {
        RecordQuery.Condition(.startsWith(self.path, beginning))
    }
}

// MARK: - Operators

/// Whether the value equals the given one: numbers by their exact decimal value, texts by code point. Values of two types
/// are not equal: `1` is neither `true` nor `"1"`.
public func == <Value>(field: JSONField<Value>, value: Value) -> RecordQuery.Condition {
    RecordQuery.Condition(.compare(field.path, .equal, value.json))
}

/// Whether the value does not equal the given one. A missing member is not equal to any value.
public func != <Value>(field: JSONField<Value>, value: Value) -> RecordQuery.Condition { !(field == value) }

/// Whether the value is smaller. It is false if the two have different types, or are arrays, objects or null.
public func < <Value>(field: JSONField<Value>, value: Value) -> RecordQuery.Condition {
    RecordQuery.Condition(.compare(field.path, .less, value.json))
}

/// Whether the value is smaller or equal.
public func <= <Value>(field: JSONField<Value>, value: Value) -> RecordQuery.Condition {
    RecordQuery.Condition(.compare(field.path, .lessOrEqual, value.json))
}

/// Whether the value is larger. It is false if the two have different types, or are arrays, objects or null.
public func > <Value>(field: JSONField<Value>, value: Value) -> RecordQuery.Condition {
    RecordQuery.Condition(.compare(field.path, .greater, value.json))
}

/// Whether the value is larger or equal.
public func >= <Value>(field: JSONField<Value>, value: Value) -> RecordQuery.Condition {
    RecordQuery.Condition(.compare(field.path, .greaterOrEqual, value.json))
}
