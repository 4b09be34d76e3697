#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension JSONNumber {
    /// The exact number, or nil for NaN, which JSON does not have.
    init?(_ value: Decimal) {
        self.init(value.description)
    }

    /// The same number, or nil if a `Decimal` can't hold it exactly: it has 38 digits.
    var decimalValue: Decimal? {
        guard let value = Decimal(string: self.text), JSONNumber(value) == self else { return nil }
        return value
    }
}
