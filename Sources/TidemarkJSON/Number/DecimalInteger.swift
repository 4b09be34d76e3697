/// An unbounded whole number, such as the exponent of a JSON number; only with the operations that comparing needs.
package enum DecimalInteger: Sendable, Hashable {
    /// A number of at most ``DecimalInteger/smallDigits`` digits, as almost all are. It allocates nothing.
    case small(Int)

    /// A longer one: its digits 0…9, the highest first, without leading zeros.
    case large(isNegative: Bool, digits: [UInt8])

    /// The most digits of a small number: two such numbers have a sum that an `Int` holds.
    private static let smallDigits = 18

    private init(isNegative: Bool, digits: some Sequence<UInt8>) {
        let significant = Array(digits.drop { $0 == 0 })
        if significant.count > Self.smallDigits {
            self = .large(isNegative: isNegative, digits: significant)
        } else {
            let magnitude = significant.reduce(0) { $0 * 10 + Int($1) }
            self = .small(isNegative ? -magnitude : magnitude)
        }
    }

    package init(_ value: Int) {
        if value.magnitude < 1_000_000_000_000_000_000 {
            self = .small(value)
        } else {
            self.init(isNegative: value < 0, digits: Self.digits(of: value))
        }
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
        if case .small(let value) = self { value } else { Int(self.text) }
    }

    /// The value as decimal digits, with a sign if it is negative.
    package var text: String {
        switch self {
        case .small(let value):
            return String(value)
        case .large(let isNegative, let digits):
            return (isNegative ? "-" : "") + String(decoding: digits.map { $0 + UInt8(ascii: "0") }, as: UTF8.self)
        }
    }

    private var isNegative: Bool {
        switch self {
        case .small(let value): value < 0
        case .large(let isNegative, _): isNegative
        }
    }

    /// The digits of the magnitude; none for zero.
    private var digits: [UInt8] {
        switch self {
        case .small(let value): Self.digits(of: value)
        case .large(_, let digits): digits
        }
    }

    private static func digits(of value: Int) -> [UInt8] {
        value == 0 ? [] : String(value.magnitude).utf8.map { $0 - UInt8(ascii: "0") }
    }

    static func + (left: DecimalInteger, right: Int) -> DecimalInteger {
        let right = DecimalInteger(right)
        if case .small(let one) = left, case .small(let other) = right { return DecimalInteger(one + other) }
        let (leftDigits, rightDigits) = (left.digits, right.digits)
        if left.isNegative == right.isNegative {
            return DecimalInteger(isNegative: left.isNegative, digits: sum(leftDigits, rightDigits))
        }
        return precedes(leftDigits, rightDigits)
            ? DecimalInteger(isNegative: right.isNegative, digits: difference(rightDigits, leftDigits))
            : DecimalInteger(isNegative: left.isNegative, digits: difference(leftDigits, rightDigits))
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
        if case .small(let one) = left, case .small(let other) = right { return one < other }
        guard left.isNegative == right.isNegative else { return left.isNegative }
        return left.isNegative
            ? self.precedes(right.digits, left.digits) : self.precedes(left.digits, right.digits)
    }
}
