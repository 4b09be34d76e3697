/// A Swift value that is one JSON value and can be used as JSON: strings, numbers, booleans, and arrays of them.
///
/// ```swift
/// let title: String = field.text
/// try await notes["42"].edit { $0.title = title }
/// ```
///
/// A value with members goes through `Codable`: `JSON(encoding:)`.
public protocol JSONConvertible {
    /// The value as JSON.
    var json: JSON { get }

    /// Makes the value from JSON; nil if it has another type, or does not fit.
    init?(json: JSON)
}

extension JSON {
    /// Makes JSON from a Swift value. Infinity and NaN trap, as an infinite literal does: JSON does not have them, and null would
    /// be another value. If a value may be one of them, `JSONNumber(_:)` returns nil.
    public init(_ value: some JSONConvertible) {
        self = value.json
    }

    /// Makes JSON from a Swift value; nil becomes null. To leave a member out set it to nil itself: `$0.title = name` removes
    /// the member for a `name` that is nil, `$0.title = JSON(name)` makes it null.
    public init(_ value: (some JSONConvertible)?) {
        self = value?.json ?? .null
    }
}

extension String: JSONConvertible {
    /// A string.
    public var json: JSON { .string(JSONString(self)) }

    /// The decoded string.
    public init?(json: JSON) {
        guard let value = json.string else { return nil }
        self = value
    }
}

extension Bool: JSONConvertible {
    /// `true` or `false`.
    public var json: JSON { .bool(self) }

    /// The boolean.
    public init?(json: JSON) {
        guard let value = json.bool else { return nil }
        self = value
    }
}

extension JSONConvertible where Self: FixedWidthInteger {
    /// A whole number.
    public var json: JSON { .number(JSONNumber(checkedText: String(self))) }

    /// The whole number, whatever its spelling, if it fits.
    public init?(json: JSON) {
        guard let value = json.number?.integer(Self.self) else { return nil }
        self = value
    }
}

extension Int: JSONConvertible {}
extension Int8: JSONConvertible {}
extension Int16: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}
extension Int128: JSONConvertible {}
extension UInt: JSONConvertible {}
extension UInt8: JSONConvertible {}
extension UInt16: JSONConvertible {}
extension UInt32: JSONConvertible {}
extension UInt64: JSONConvertible {}
extension UInt128: JSONConvertible {}

extension Double: JSONConvertible {
    /// The shortest JSON number that parses to the same value. Infinity and NaN trap; `JSONNumber(_:)` returns nil for them.
    public var json: JSON { JSON(finite: self, JSONNumber(self)) }

    /// The nearest double, if the number is in their range.
    public init?(json: JSON) {
        guard let value = json.double else { return nil }
        self = value
    }
}

extension JSONConvertible where Self: RawRepresentable, RawValue: JSONConvertible {
    /// The raw value, so that an enum needs no further code:
    ///
    /// ```swift
    /// nonisolated enum Status: String, Codable, JSONConvertible { case open, done }
    /// ```
    public var json: JSON { self.rawValue.json }

    /// The value with this raw value.
    public init?(json: JSON) {
        guard let value = RawValue(json: json).flatMap(Self.init(rawValue:)) else { return nil }
        self = value
    }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    /// The elements in order.
    public var json: JSON { .array(self.map(\.json)) }

    /// The elements, if each of them is of the type.
    public init?(json: JSON) {
        guard let elements = json.array else { return nil }
        var values: [Element] = []
        for element in elements {
            guard let value = Element(json: element) else { return nil }
            values.append(value)
        }
        self = values
    }
}

extension JSON: JSONConvertible {
    /// The value itself.
    public var json: JSON { self }

    /// The value itself.
    public init?(json: JSON) {
        self = json
    }
}

extension JSON {
    /// A number of Swift as JSON; traps if JSON does not have it.
    init(finite value: some CustomStringConvertible, _ number: JSONNumber?) {
        guard let number else {
            preconditionFailure(
                "JSON has no number \(value); check the value first, or use JSONNumber, which returns nil for it")
        }
        self = .number(number)
    }
}
