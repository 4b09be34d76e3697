import Foundation

/// Numbers with as many digits as mean something.
enum Figures {
    /// Four digits that count.
    static func text(_ value: Double) -> String { self.text(value, digits: 4) }

    /// Two digits that count.
    static func short(_ value: Double) -> String { self.text(value, digits: 2) }

    static func tick(_ value: Double) -> String { self.text(value, digits: 1) }

    /// A number that a person has chosen.
    static func plain(_ value: Double) -> String { String(format: "%g", value) }

    private static func text(_ value: Double, digits: Int) -> String {
        guard value.isFinite else { return "null" }
        guard value != 0 else { return "0" }
        let decimals = max(0, digits - 1 - Int(log10(abs(value)).rounded(.down)))
        return String(format: "%.\(decimals)f", value)
    }
}
