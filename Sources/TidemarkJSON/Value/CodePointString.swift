/// A string that compares, orders and hashes by code point; Swift's `String` does so by canonical equivalence.
///
/// `"é"` and `"e\u{301}"` are equal as `String` and two values here, as they are two keys in JSON (Contract §4). The order of the
/// UTF-8 bytes is the order of the code points.
public struct CodePointString: Sendable, Comparable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The string itself.
    public let value: String

    /// Wraps a string without changing it.
    public init(_ value: String) {
        self.value = value
    }

    /// Wraps a literal.
    public init(stringLiteral value: String) {
        self.value = value
    }

    /// The string itself.
    public var description: String { self.value }

    /// Whether the UTF-8 bytes of the first string come before those of the second.
    public static func < (left: CodePointString, right: CodePointString) -> Bool {
        left.value.precedesByCodePoints(right.value)
    }

    /// Whether both have the same code points.
    public static func == (left: CodePointString, right: CodePointString) -> Bool {
        left.value.hasSameCodePoints(as: right.value)
    }
}

extension CodePointString: Hashable {
    /// Feeds the UTF-8 bytes.
    public func hash(into hasher: inout Hasher) {
        self.value.hashCodePoints(into: &hasher)
    }
}

extension String {
    /// Equality by code point; `==` treats canonically equivalent spellings as equal.
    package func hasSameCodePoints(as other: String) -> Bool {
        guard self.utf8.count == other.utf8.count else { return false }
        return unsafe self.withBytes { mine in unsafe other.withBytes { unsafe mine.isEqual(to: $0) } }
    }

    /// Order by code point, which is the order of the UTF-8 bytes.
    fileprivate func precedesByCodePoints(_ other: String) -> Bool {
        unsafe self.withBytes { mine in unsafe other.withBytes { unsafe mine.precedes($0) } }
    }

    /// Feeds the UTF-8 bytes and an end mark, so that two strings in the same hash stay distinct.
    package func hashCodePoints(into hasher: inout Hasher) {
        unsafe self.withBytes { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        hasher.combine(0xFF as UInt8)
    }
}

extension CodePointString: Codable {
    /// Reads a string.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.value)
    }
}
