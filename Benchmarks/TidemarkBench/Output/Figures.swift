import Foundation

/// Numbers as text, with no more digits than the measurement justifies.
enum Figures {
    /// Four significant digits.
    static func text(_ value: Double) -> String { self.text(value, digits: 4) }

    /// Two significant digits.
    static func short(_ value: Double) -> String { self.text(value, digits: 2) }

    /// Without decimals, and with commas between thousands.
    static func whole(_ value: Double) -> String {
        let digits = Array(String(format: "%.0f", value))
        return digits.indices.map { index in
            index > 0 && (digits.count - index).isMultiple(of: 3) ? ",\(digits[index])" : String(digits[index])
        }
        .joined()
    }

    /// A number that is exact as it is, such as a goal or a tick of an axis.
    static func plain(_ value: Double) -> String { String(format: "%g", value) }

    private static func text(_ value: Double, digits: Int) -> String {
        guard value.isFinite else { return "null" }
        guard value != 0 else { return "0" }
        let decimals = max(0, digits - 1 - Int(log10(abs(value)).rounded(.down)))
        return String(format: "%.\(decimals)f", value)
    }
}
