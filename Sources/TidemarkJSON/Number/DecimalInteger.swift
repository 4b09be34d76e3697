/// An unbounded whole number, such as the exponent of a JSON number; only with the operations that comparing needs.
package struct DecimalInteger: Sendable, Hashable {
    /// Whether it is negative; never for zero.
    private let isNegative: Bool

    /// The digits 0…9, the highest first, without leading zeros; none for zero.
    private let digits: [UInt8]

    private init(isNegative: Bool, digits: some Sequence<UInt8>) {
        let significant = Array(digits.drop { $0 == 0 })
        self.digits = significant
        self.isNegative = isNegative && !significant.isEmpty
    }

    package init(_ value: Int) {
        self.init(isNegative: value < 0, digits: String(value.magnitude).utf8.map { $0 - UInt8(ascii: "0") })
    }

    /// Reads an exponent: an optional sign and digits; an empty text is zero.
    init(_ text: Substring.UTF8View) {
        let isSigned = text.first == UInt8(ascii: "-") || text.first == UInt8(ascii: "+")
        self.init(
            isNegative: text.first == UInt8(ascii: "-"),
            digits: text.dropFirst(isSigned ? 1 : 0).lazy.map { $0 - UInt8(ascii: "0") })
    }

    /// The value if it fits.
    package var int: Int? {
        Int(self.text)
    }

    /// The value as decimal digits, with a sign if it is negative.
    package var text: String {
        let magnitude = String(decoding: self.digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
        return self.digits.isEmpty ? "0" : (self.isNegative ? "-" : "") + magnitude
    }

    static func + (left: DecimalInteger, right: Int) -> DecimalInteger {
        let right = DecimalInteger(right)
        if left.isNegative == right.isNegative {
            return DecimalInteger(isNegative: left.isNegative, digits: sum(left.digits, right.digits))
        }
        return precedes(left.digits, right.digits)
            ? DecimalInteger(isNegative: right.isNegative, digits: difference(right.digits, left.digits))
            : DecimalInteger(isNegative: left.isNegative, digits: difference(left.digits, right.digits))
    }

    private static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count ? left.lexicographicallyPrecedes(right) : left.count < right.count
    }

    private static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var carry: UInt8 = 0
        for place in 1...max(left.count, right.count, 1) {
            let digit = self.digit(left, place) + self.digit(right, place) + carry
            result.append(digit % 10)
            carry = digit / 10
        }
        result.append(carry)
        return result.reversed()
    }

    private static func difference(_ larger: [UInt8], _ smaller: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var borrow: UInt8 = 0
        for place in 1...max(larger.count, 1) {
            let digit = self.digit(larger, place) + 10 - self.digit(smaller, place) - borrow
            result.append(digit % 10)
            borrow = digit < 10 ? 1 : 0
        }
        return result.reversed()
    }

    /// The digit at a position counted from the right, from 1.
    private static func digit(_ digits: [UInt8], _ place: Int) -> UInt8 {
        place <= digits.count ? digits[digits.count - place] : 0
    }
}

extension DecimalInteger: Comparable {
    package static func < (left: DecimalInteger, right: DecimalInteger) -> Bool {
        guard left.isNegative == right.isNegative else { return left.isNegative }
        return left.isNegative
            ? self.precedes(right.digits, left.digits) : self.precedes(left.digits, right.digits)
    }
}
