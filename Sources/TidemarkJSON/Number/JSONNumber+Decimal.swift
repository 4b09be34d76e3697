#if FoundationTypes
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
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

    extension Decimal: JSONConvertible {
        /// The exact number. NaN traps; `JSONNumber(_:)` returns nil for it.
        public var json: JSON { JSON(finite: self, JSONNumber(self)) }

        /// The exact number, if a `Decimal` can hold it.
        public init?(json: JSON) {
            guard let value = json.number?.decimalValue else { return nil }
            self = value
        }
    }
#endif
