#if FoundationTypes
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    // Types of Foundation whose own `Codable` writes what they are made of. JSON has a better form for each (SPEC §4).

    extension JSONTreeEncoder {
        /// A value of Foundation as other programs expect it, or nil for any other type.
        static func foundationLeaf(_ value: any Encodable, at place: CodingPlace) throws -> JSON? {
            switch value {
            case let value as Decimal:
                guard let number = JSONNumber(value) else { throw place.invalid(value, "JSON has no number \(value)") }
                return .number(number)
            case let value as Date:
                guard let json = place.dates.json(of: value) else {
                    throw place.invalid(value, "this date can't be written \(place.dates.name)")
                }
                return json
            case let value as Data: return .string(JSONString(value.base64EncodedString()))
            case let value as URL: return .string(JSONString(value.absoluteString))
            default: return nil
            }
        }
    }

    extension JSONTreeDecoder {
        /// A value of Foundation from what other programs write, or nil for any other type.
        func foundationLeaf<Value>(_ type: Value.Type) throws -> Any? {
            switch type {
            case is Decimal.Type:
                guard let number = self.value.number else { throw self.mismatch(type) }
                return try self.found(
                    number.decimalValue, "the number \(number.text.beginning) has more digits than a Decimal")
            case is Date.Type:
                return try self.found(
                    self.place.dates.date(of: self.value), "\(self.value.excerpt) is no date \(self.place.dates.name)")
            case is Data.Type:
                return try self.found(try self.text(type).map { Data(base64Encoded: $0) }, "the string is not base64")
            case is URL.Type:
                return try self.found(try self.text(type).map { URL(string: $0) }, "\(self.value.excerpt) is no URL")
            default: return nil
            }
        }

        private func text(_ type: Any.Type) throws -> String? {
            guard let text = self.value.string else { throw self.mismatch(type) }
            return text
        }

        private func found<Value>(_ value: Value??, _ reason: String) throws -> Any {
            guard let value, let value else {
                throw DecodingError.dataCorrupted(.init(codingPath: self.codingPath, debugDescription: reason))
            }
            return value
        }
    }
#else
    extension JSONTreeEncoder {
        /// No value is one of Foundation.
        static func foundationLeaf(_ value: any Encodable, at place: CodingPlace) -> JSON? { nil }
    }

    extension JSONTreeDecoder {
        /// No type is one of Foundation.
        func foundationLeaf<Value>(_ type: Value.Type) -> Any? { nil }
    }
#endif
