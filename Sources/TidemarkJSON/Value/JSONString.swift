/// A JSON string that keeps its *source text* between the quotes, so that `"caf\u00e9"` or `"\/"` survive a round trip.
///
/// Equality and hashing are by the decoded code points: `"\u0041"` equals `"A"`, and é does not equal e + U+0301.
public struct JSONString: Sendable {
    /// The text between the quotes as it was written, escapes included.
    public let source: String

    /// Escapes a string as little as JSON allows: the quote, the backslash and the control characters.
    public init(_ value: String) {
        self.source = JSONString.escaped(value)
    }

    /// Makes a string from the text between two quotes; nil if it is not a valid JSON string (a bare quote or control
    /// character, an unknown escape, an unpaired surrogate).
    public init?(source: String) {
        // Almost no string has an escape.
        let isPlain = unsafe !source.withBytes { unsafe JSONString.mustBeEscaped($0) }
        guard isPlain || JSONString.isWellFormed(source.utf8) else { return nil }
        self.source = source
    }

    /// Makes a string from source text that a parser has checked.
    init(checkedSource: String) {
        self.source = checkedSource
    }

    /// The decoded string.
    public var value: String {
        self.hasEscapes ? JSONString.decoded(self.source) : self.source
    }

    /// Whether the source has any escape; without one it equals the value.
    var hasEscapes: Bool {
        unsafe self.source.withBytes { unsafe $0.contains(UInt8(ascii: "\\")) }
    }
}

extension JSONString: Hashable {
    /// Whether both decode to the same code points.
    public static func == (left: JSONString, right: JSONString) -> Bool {
        guard JSONString.mayMean(left.source.utf8.count, right.source.utf8.count),
            JSONString.mayMean(right.source.utf8.count, left.source.utf8.count)
        else { return false }
        // Both are compared byte by byte up to the first difference, so of a long string only as much is read as the short one
        // has.
        return left.source.hasSameCodePoints(as: right.source)
            || JSONString.Decoding(left.source.utf8.makeIterator())
                .elementsEqual(JSONString.Decoding(right.source.utf8.makeIterator()))
    }

    /// Feeds the decoded code points.
    public func hash(into hasher: inout Hasher) {
        self.value.hashCodePoints(into: &hasher)
    }
}

extension JSONString: ExpressibleByStringLiteral {
    /// Escapes a literal as ``init(_:)`` does.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}

extension JSONString: CustomStringConvertible {
    /// The decoded string.
    public var description: String { self.value }
}
