/// The exact value of a JSON number: ± d.ddd × 10^exponent, with neither leading nor trailing zeros, so that equal
/// values are equal member by member.
package struct JSONDecimal: Sendable, Hashable {
    /// Whether it is negative. Zero is never negative: `-0` is 0.
    package let isNegative: Bool

    /// The significant digits, each 0…9; none for zero.
    package let digits: [UInt8]

    /// The power of ten of the first digit; 0 for zero. It is unbounded, since `1e999999999999999999999` is a JSON number.
    package let exponent: DecimalInteger

    /// Makes a value from its parts; zero has no sign.
    init(isNegative: Bool, digits: [UInt8], exponent: DecimalInteger) {
        self.isNegative = isNegative && !digits.isEmpty
        self.digits = digits
        self.exponent = exponent
    }

    /// Reads a text that is known to be a JSON number.
    init(numberText text: String) {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.utf8.count)
        var exponent = DecimalInteger(0)
        var isNegative = false
        var pointShift = 0
        var isFraction = false
        var place = 0
        reading: for byte in text.utf8 {
            place += 1
            switch byte {
            case UInt8(ascii: "-"):
                isNegative = true
            case UInt8(ascii: "."):
                isFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent = DecimalInteger(text.utf8.dropFirst(place))
                break reading
            default:
                let digit = byte - UInt8(ascii: "0")
                if digits.isEmpty && digit == 0 {
                    pointShift -= isFraction ? 1 : 0
                } else {
                    digits.append(digit)
                    pointShift += isFraction ? 0 : 1
                }
            }
        }
        while digits.last == 0 {
            digits.removeLast()
        }
        self.digits = digits
        self.isNegative = isNegative && !digits.isEmpty
        self.exponent = digits.isEmpty ? DecimalInteger(0) : exponent + (pointShift - 1)
    }

    /// The whole number, or nil if there is a fraction or it does not fit the type.
    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        guard !self.digits.isEmpty else { return 0 }
        guard let exponent = self.exponent.int, (0..<Integer.bitWidth).contains(exponent),
            self.digits.count <= exponent + 1
        else {
            return nil
        }
        var value: Integer = 0
        for place in 0...exponent {
            let digit = place < self.digits.count ? Integer(self.digits[place]) : 0
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            // A negative number is counted downwards, since the smallest one has no positive counterpart.
            let (next, isBeyond) =
                self.isNegative
                ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
            guard !isTooLarge && !isBeyond else { return nil }
            value = next
        }
        return value
    }
}

extension JSONDecimal: Comparable {
    /// Whether the first value is smaller.
    package static func < (left: JSONDecimal, right: JSONDecimal) -> Bool {
        guard left.isNegative == right.isNegative else { return left.isNegative }
        return left.isNegative
            ? JSONDecimal.isSmaller(magnitudeOf: right, than: left)
            : JSONDecimal.isSmaller(magnitudeOf: left, than: right)
    }

    private static func isSmaller(magnitudeOf left: JSONDecimal, than right: JSONDecimal) -> Bool {
        guard !left.digits.isEmpty, !right.digits.isEmpty else { return left.digits.isEmpty && !right.digits.isEmpty }
        guard left.exponent == right.exponent else { return left.exponent < right.exponent }
        return left.digits.lexicographicallyPrecedes(right.digits)
    }
}
