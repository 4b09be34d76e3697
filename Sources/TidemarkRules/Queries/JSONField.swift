#if FoundationTypes
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif
#endif
public import TidemarkJSON

/// A member of a record by its JSON pointer, with the type of its value, for the conditions of a ``RecordQuery``.
///
/// ```swift
/// enum Field {
///     static let done = JSONField<Bool>("/done")
///     static let price = JSONField<JSON>("/price")
///     static let tag = JSONField<String>("/tags/*")
///     static let status = JSONField<Status>("/status")       // an enum with raw values that is JSONConvertible
///     static let due = JSONField<Date?>("/due")              // as the property of the app's type
/// }
/// let query = RecordQuery(where: Field.done == false && Field.status == .open && Field.due < .now)
/// ```
///
/// The type is that of the values in conditions; it does not restrict the records: a record with another type of value at this
/// place is compared as it is. Use `JSON` if the place holds several types. For an optional type `== nil` is true if the member is
/// missing or null.
public struct JSONField<Value: Sendable>: Sendable {
    /// The JSON pointer, such as `/address/city`. One step may be `*`: then a condition is true if it is true for any element of
    /// the array.
    public let path: String

    /// The value as it is in a record.
    private let json: @Sendable (Value) -> JSON

    /// Whether null is also the value of a missing member.
    private let isOptional: Bool

    private init(_ path: String, isOptional: Bool = false, as json: @escaping @Sendable (Value) -> JSON) {
        (self.path, self.isOptional, self.json) = (path, isOptional, json)
    }

    /// Names a member. A text that is no JSON pointer is an error of each query that uses it,
    /// ``TidemarkError/Code/invalidQuery``.
    public init(_ path: String) where Value: JSONConvertible {
        self.init(path) { $0.json }
    }

    /// Names a member that a record may lack.
    public init<Present: JSONConvertible & Sendable>(_ path: String) where Value == Present? {
        self.init(path, isOptional: true) { $0?.json ?? .null }
    }

    fileprivate func compare(
        _ comparison: RecordQuery.Condition.Comparison, _ value: Value
    ) -> RecordQuery.Condition {
        RecordQuery.Condition(.compare(self.path, comparison, self.json(value)))
    }

    /// The condition for some values, or if one of them is nil, for a missing member, too.
    fileprivate func equal(_ condition: RecordQuery.Condition, to values: [Value]) -> RecordQuery.Condition {
        self.isOptional && values.contains { self.json($0) == .null } ? self.isMissing || condition : condition
    }
}

#if FoundationTypes
    extension JSONField {
        /// Names a date.
        ///
        /// - Parameters:
        ///   - path: The JSON pointer.
        ///   - dates: The format of the dates in the records. Texts are compared as texts, which is the order of the dates only if all
        ///     have the same number of digits: ``JSONDates/rfc3339(digits:)``. A date that the format can't express is compared as
        ///     null.
        public init(_ path: String, dates: JSONDates = .rfc3339) where Value == Date {
            self.init(path) { dates.json(of: $0) ?? .null }
        }

        /// Names a date that a record may lack.
        public init(_ path: String, dates: JSONDates = .rfc3339) where Value == Date? {
            self.init(path, isOptional: true) { $0.flatMap(dates.json(of:)) ?? .null }
        }
    }
#endif

extension JSONField: Hashable {
    /// Whether both name the same member.
    public static func == (left: Self, right: Self) -> Bool { left.path == right.path }

    /// Feeds the path.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.path) }
}

extension JSONField {
    /// Whether the member exists. A member that is null exists.
    public var exists: RecordQuery.Condition { RecordQuery.Condition(.exists(self.path)) }

    /// Whether the member is missing.
    public var isMissing: RecordQuery.Condition { !self.exists }

    /// Whether the value equals one of the given values.
    public func isIn(_ values: [Value]) -> RecordQuery.Condition {
        self.equal(RecordQuery.Condition(.isIn(self.path, values.map(self.json))), to: values)
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
    field.equal(field.compare(.equal, value), to: [value])
}

/// Whether the value does not equal the given one. A missing member is not equal to any value.
public func != <Value>(field: JSONField<Value>, value: Value) -> RecordQuery.Condition { !(field == value) }

/// Whether the value is smaller. It is false if the two have different types, or are arrays, objects or null.
public func < <Value>(field: JSONField<Value>, value: Value) -> RecordQuery.Condition {
    field.compare(.less, value)
}

/// Whether the value is smaller or equal.
public func <= <Value>(field: JSONField<Value>, value: Value) -> RecordQuery.Condition {
    field.compare(.lessOrEqual, value)
}

/// Whether the value is larger. It is false if the two have different types, or are arrays, objects or null.
public func > <Value>(field: JSONField<Value>, value: Value) -> RecordQuery.Condition {
    field.compare(.greater, value)
}

/// Whether the value is larger or equal.
public func >= <Value>(field: JSONField<Value>, value: Value) -> RecordQuery.Condition {
    field.compare(.greaterOrEqual, value)
}
