package import TidemarkJSON

/// The bytes of a value in an index: they compare as the values do, byte by byte, and no key is the beginning of another one, so
/// that keys can follow each other.
///
/// | first byte | value | then |
/// |---|---|---|
/// | 10 | missing | |
/// | 11, 12, 13 | null, false, true | |
/// | 20, 21, 22 | negative number, 0, positive number | exponent, digits; all inverted if negative |
/// | 30 | text | UTF-8 with 0 as `00 FF`; then `00 00` |
/// | 40, 41 | array, object | |
package enum QueryKey {
    /// The number of this encoding: an index with another one is built again, and a cursor with another one is refused.
    package static let encoding = 1

    /// How many bytes of a text, and how many digits of a number, a key has at most.
    package static let longest = 512

    package static let missing: [UInt8] = [Kind.missing]

    enum Kind {
        static let missing: UInt8 = 0x10
        static let null: UInt8 = 0x11
        static let `false`: UInt8 = 0x12
        static let `true`: UInt8 = 0x13
        static let negative: UInt8 = 0x20
        static let zero: UInt8 = 0x21
        static let positive: UInt8 = 0x22
        static let text: UInt8 = 0x30
        static let array: UInt8 = 0x40
        static let object: UInt8 = 0x41
    }

    /// The key of a value; nil is a missing member.
    package static func of(_ value: JSON?) -> [UInt8] {
        var key: [UInt8] = []
        self.append(value, to: &key)
        return key
    }

    /// Appends the key of a value; nil is a missing member.
    package static func append(_ value: JSON?, to key: inout [UInt8]) {
        guard let value else { return key.append(Kind.missing) }
        switch value.kindOfValue {
        case .null: key.append(Kind.null)
        case .bool: key.append(value.bool == true ? Kind.true : Kind.false)
        case .number: self.append(value.number?.decimal, to: &key)
        case .string: self.append(text: value, to: &key)
        case .array: key.append(Kind.array)
        case .object: key.append(Kind.object)
        }
    }

    /// Whether every value with the key of this value equals it: the key leaves nothing out, and no longer value has it.
    package static func isWhole(_ value: JSON) -> Bool {
        switch value.kindOfValue {
        case .null, .bool: true
        case .number:
            (value.number?.decimal).map { $0.digits.count < self.longest && self.hasWholeExponent($0) } ?? false
        case .string: (value.string ?? "").utf8.count < self.longest
        case .array, .object: false
        }
    }

    /// The keys of all values that are ordered with a value; nil if `<` and `>` are never true for it.
    package static func keysOfType(_ value: JSON) -> KeyRange? {
        switch value.kindOfValue {
        case .bool: KeyRange(from: [Kind.false], upTo: [Kind.true + 1])
        case .number: KeyRange(from: [Kind.negative], upTo: [Kind.positive + 1])
        case .string: KeyRange(beginningWith: [Kind.text])
        case .null, .array, .object: nil
        }
    }

    /// The beginning of the keys of all texts that begin with this one.
    package static func beginning(of text: String) -> [UInt8] {
        var key: [UInt8] = []
        self.append(beginningOf: JSON(text), to: &key)
        return key
    }

    private static func append(text: JSON, to key: inout [UInt8]) {
        self.append(beginningOf: text, to: &key)
        key.append(0)
        key.append(0)
    }

    private static func append(beginningOf text: JSON, to key: inout [UInt8]) {
        key.append(Kind.text)
        let first = key.count
        text.appendText(to: &key, limit: self.longest)
        guard key[first...].contains(0) else { return }
        let bytes = key[first...]
        key.removeSubrange(first...)
        for byte in bytes { key += byte == 0 ? [0, 0xFF] : [byte] }
    }

    private static func append(_ decimal: JSONDecimal?, to key: inout [UInt8]) {
        guard let decimal, !decimal.digits.isEmpty else { return key.append(Kind.zero) }
        key.append(decimal.isNegative ? Kind.negative : Kind.positive)
        let first = key.count
        // Without the whole exponent, digits would order the numbers wrongly.
        if self.append(exponent: decimal.exponent, to: &key) {
            var digits = decimal.digits.prefix(self.longest)[...]
            while let digit = digits.popFirst() { key.append(digit * 10 + (digits.popFirst() ?? 0) + 1) }
        }
        key.append(0)
        if decimal.isNegative { for index in first..<key.count { key[index] ^= 0xFF } }
    }

    /// Exponents that one byte holds.
    private static let shortExponents = -100...100

    /// The longest exponent, in digits, that a key holds whole: larger ones are equal in it.
    private static let longestExponent = 200

    private static func hasWholeExponent(_ decimal: JSONDecimal) -> Bool {
        decimal.exponent.text.utf8.count < self.longestExponent
    }

    /// Returns whether the key has the whole exponent.
    private static func append(exponent: DecimalInteger, to key: inout [UInt8]) -> Bool {
        if let short = exponent.int, self.shortExponents.contains(short) {
            key.append(UInt8(128 + short))
            return true
        }
        let text = exponent.text.utf8
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = text.dropFirst(isNegative ? 1 : 0)
        let mask: UInt8 = isNegative ? 0xFF : 0
        key.append(isNegative ? 0x01 : 0xF0)
        key.append(UInt8(min(digits.count, self.longestExponent)) ^ mask)
        // Longer ones have the largest key of their sign.
        guard digits.count < self.longestExponent else { return false }
        for digit in digits { key.append(digit ^ mask) }
        return true
    }
}
