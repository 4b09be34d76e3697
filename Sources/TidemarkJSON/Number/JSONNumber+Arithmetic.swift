extension JSONNumber {
    /// How many digits an exact sum may have, by default.
    public static let sumDigits = 1_000

    /// Returns the exact sum, or nil if its text without an exponent would have more than `digits` digits (`1e400 + 1` has
    /// 401, `1e999999999 + 1` a billion).
    public func adding(_ other: JSONNumber, digits: Int = JSONNumber.sumDigits) -> JSONNumber? {
        JSONDecimal.sum(self.decimal, other.decimal, digits: digits).map(JSONNumber.init(checkedText:))
    }

    /// Returns the exact difference, or nil if it would have too many digits.
    public func subtracting(_ other: JSONNumber, digits: Int = JSONNumber.sumDigits) -> JSONNumber? {
        JSONDecimal.sum(self.decimal, other.decimal.negated, digits: digits).map(JSONNumber.init(checkedText:))
    }
}

extension JSONDecimal {
    /// The same value with the other sign.
    var negated: JSONDecimal {
        JSONDecimal(isNegative: !self.isNegative, digits: self.digits, exponent: self.exponent)
    }

    /// Returns the text of an exact sum without an exponent, or nil if it has too many digits.
    static func sum(_ left: JSONDecimal, _ right: JSONDecimal, digits limit: Int) -> String? {
        let terms = [left, right].filter { !$0.digits.isEmpty }
        // The powers of ten of the first and of the last digit in the text; the digit before the point is always there.
        var highest = 0
        var lowest = 0
        for term in terms {
            guard let exponent = term.exponent.int, exponent.magnitude < limit else { return nil }
            highest = max(highest, exponent)
            lowest = min(lowest, exponent - term.digits.count + 1)
        }
        guard highest - lowest < limit else { return nil }
        var places = [Int](repeating: 0, count: highest - lowest + 2)
        for term in terms {
            for (offset, digit) in term.digits.enumerated() {
                places[highest + 1 - ((term.exponent.int ?? 0) - offset)] += (term.isNegative ? -1 : 1) * Int(digit)
            }
        }
        let isNegative = (places.first { $0 != 0 } ?? 0) < 0
        if isNegative {
            places = places.map { -$0 }
        }
        for place in places.indices.dropFirst().reversed() {
            // Each place holds between -18 and 19 by now; the carry is rounded down, so that the rest is a digit.
            let carry = (places[place] + 20) / 10 - 2
            places[place] -= carry * 10
            places[place - 1] += carry
        }
        guard places[0] == 0 || highest + 1 - lowest < limit else { return nil }
        return self.text(places, fractionCount: -lowest, isNegative: isNegative)
    }

    private static func text(_ places: [Int], fractionCount: Int, isNegative: Bool) -> String {
        let whole = places.dropLast(fractionCount).drop { $0 == 0 }
        var fraction = places.suffix(fractionCount)
        while fraction.last == 0 {
            fraction.removeLast()
        }
        return (isNegative ? "-" : "") + (whole.isEmpty ? "0" : whole.map(String.init).joined())
            + (fraction.isEmpty ? "" : "." + fraction.map(String.init).joined())
    }
}
