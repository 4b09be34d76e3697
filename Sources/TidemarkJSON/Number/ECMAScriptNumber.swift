/// Number to text as in ECMAScript (ECMA-262 Number::toString), as RFC 8785 §3.2.2.3 requires.
enum ECMAScriptNumber {
    /// The text of a finite double: the shortest digits that read back as the same double, and `-0` as `0`.
    ///
    /// A float is written with the shortest digits that read back as the same float.
    static func text(of value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
        guard value != 0 else { return "0" }
        // The standard library chooses the same digits, the shortest and of those the nearest; only the layout differs.
        let (digits, exponent) = self.parts(of: value.description.drop { $0 == "-" })
        return (value < 0 ? "-" : "") + self.layout(digits, pointAfter: exponent)
    }

    /// The significant digits, and how many of them are before the point.
    private static func parts(of description: Substring) -> (digits: String, pointAfter: Int) {
        // own text: as the standard library spells a number
        let halves = description.split(separator: "e", maxSplits: 1)
        let mantissa = (halves.first ?? "0").split(separator: ".", maxSplits: 1)  // own text
        let whole = mantissa.first ?? "0"
        let fraction = mantissa.count > 1 ? mantissa[1] : ""
        let power = halves.count > 1 ? Int(halves[1]) ?? 0 : 0
        let all = String(whole + fraction)
        let significant = all.drop { $0 == "0" }
        let trimmed = significant.reversed().drop { $0 == "0" }.reversed()
        return (String(trimmed), whole.count + power - (all.count - significant.count))
    }

    private static func layout(_ digits: String, pointAfter point: Int) -> String {
        // A double has at most 17 digits.
        let count = digits.count
        switch point {
        case count...21:
            return digits + String(repeating: "0", count: point - count)
        case 1...21:
            return digits.prefix(point) + "." + digits.dropFirst(point)
        case -5...0:
            return "0." + String(repeating: "0", count: -point) + digits
        default:
            let power = point - 1
            let mantissa = count == 1 ? digits : digits.prefix(1) + "." + digits.dropFirst(1)
            return mantissa + "e" + (power < 0 ? "-" : "+") + String(power.magnitude)
        }
    }
}
