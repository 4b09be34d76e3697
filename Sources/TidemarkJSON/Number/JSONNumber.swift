/// A JSON number that keeps its text: `12345678901234567890`, `1.10`, `1e400` and `-0` are preserved.
///
/// Equality, order and hashing are by the exact decimal value, not by a double: `1.0 == 1 == 10e-1`, and `1e400` differs from
/// `1e401`.
public struct JSONNumber: Sendable {
    /// The number as it was written.
    public let text: String

    /// Makes a number from its text; nil if it is not a number of RFC 8259 §6 (`01`, `+1`, `.5`, `1.`, `NaN`).
    public init?(_ text: String) {
        guard JSONNumber.isWellFormed(text.utf8) else { return nil }
        self.text = text
    }

    /// A whole number.
    public init(_ value: Int) {
        self.text = String(value)
    }

    /// The shortest text that reads back as the same double, formatted as in ECMAScript (RFC 8785 §3.2.2.3), or nil for
    /// infinity and NaN, which JSON does not have.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        self.text = ECMAScriptNumber.text(of: value)
    }

    /// Makes a number from text that a parser has checked.
    init(checkedText: String) {
        self.text = checkedText
    }

    /// The whole number, or nil if there is a fraction or it does not fit. `1e2` and `1.0` are whole.
    public var int: Int? {
        self.integer(Int.self)
    }

    /// The whole number in any integer type, or nil if there is a fraction or it does not fit.
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        Integer(self.text) ?? self.decimal.integer(type)
    }

    /// The nearest double, or nil if the number is too large for a double.
    public var double: Double? {
        guard let value = Double(self.text), value.isFinite else { return nil }
        return value
    }

    /// The exact value in scientific notation.
    package var decimal: JSONDecimal {
        JSONDecimal(numberText: self.text)
    }

    /// Whether bytes are a number of RFC 8259 §6.
    static func isWellFormed(_ text: some Sequence<UInt8>) -> Bool {
        var rest = text.makeIterator()
        var next = rest.next()
        if next == UInt8(ascii: "-") {
            next = rest.next()
        }
        if next == UInt8(ascii: "0") {
            next = rest.next()
        } else {
            guard JSONNumber.skipDigits(&next, &rest) > 0 else { return false }
        }
        if next == UInt8(ascii: ".") {
            next = rest.next()
            guard JSONNumber.skipDigits(&next, &rest) > 0 else { return false }
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            next = rest.next()
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") {
                next = rest.next()
            }
            guard JSONNumber.skipDigits(&next, &rest) > 0 else { return false }
        }
        return next == nil
    }

    private static func skipDigits(_ next: inout UInt8?, _ rest: inout some IteratorProtocol<UInt8>) -> Int {
        var count = 0
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            count += 1
            next = rest.next()
        }
        return count
    }
}

extension JSONNumber: Hashable {
    /// Whether both have the same decimal value.
    public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
        if let one = left.plainInteger, let other = right.plainInteger { return one == other }
        return left.text.hasSameCodePoints(as: right.text) || left.decimal == right.decimal
    }

    /// Feeds the decimal value.
    public func hash(into hasher: inout Hasher) {
        // Equal numbers of different spelling have the same hash, so `1.0` feeds the whole number, too.
        if let whole = self.plainInteger { return hasher.combine(whole) }
        let decimal = self.decimal
        if let whole = decimal.integer(Int.self) { return hasher.combine(whole) }
        decimal.hash(into: &hasher)
    }

    /// The value of a text with only a sign and at most 18 digits, as most numbers are written; nil for any other. It is exact,
    /// and allocates nothing.
    private var plainInteger: Int? {
        let text = self.text.utf8
        guard text.count <= 19 else { return nil }
        var magnitude = 0
        var isNegative = false
        for byte in text {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard magnitude < 100_000_000_000_000_000 else { return nil }
                magnitude = magnitude * 10 + Int(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "-"): isNegative = true
            default: return nil
            }
        }
        return isNegative ? -magnitude : magnitude
    }
}

extension JSONNumber: Comparable {
    /// Whether the decimal value of the first number is smaller.
    public static func < (left: JSONNumber, right: JSONNumber) -> Bool {
        if let one = left.plainInteger, let other = right.plainInteger { return one < other }
        return left.decimal < right.decimal
    }
}

extension JSONNumber: CustomStringConvertible {
    /// The number as it was written.
    public var description: String { self.text }
}
