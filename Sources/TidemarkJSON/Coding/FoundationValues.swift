#if FoundationTypes
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    // Types of Foundation whose `Codable` writes their internal parts. JSON has a better form for each (Contract §4).

    extension JSONTreeEncoder {
        /// Returns a Foundation value in the form that other programs expect, or nil for any other type.
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
        /// Returns a Foundation value from the form that other programs write, or nil for any other type.
        func foundationLeaf<Value>(_ type: Value.Type) throws -> Any? {
            switch type {
            case is Decimal.Type:
                guard let number = self.value.number else { throw self.mismatch(type) }
                return try self.found(
                    number.decimalValue, "the number \(number.text.beginning) has more digits than a Decimal")
            case is Date.Type:
                return try self.found(
                    self.place.dates.date(of: self.value),
                    "\(self.value.excerpt) is not a date \(self.place.dates.name)")
            case is Data.Type:
                return try self.found(try self.text(type).map { Data(base64Encoded: $0) }, "the string is not base64")
            case is URL.Type:
                return try self.found(try self.text(type).map { URL(string: $0) }, "\(self.value.excerpt) is not a URL")
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
    // Without the trait they are known by name alone: no other device reads the form of their internal parts.

    extension JSONTreeEncoder {
        /// Returns nil for a value that is not of Foundation; refuses one that is.
        static func foundationLeaf(_ value: any Encodable, at place: CodingPlace) throws -> JSON? {
            guard let reason = FoundationTypes.refusal(of: type(of: value)) else { return nil }
            throw EncodingError.invalidValue(value, .init(codingPath: place.path, debugDescription: reason))
        }
    }

    extension JSONTreeDecoder {
        /// Returns nil for a type that is not of Foundation; refuses one that is.
        func foundationLeaf<Value>(_ type: Value.Type) throws -> Any? {
            guard let reason = FoundationTypes.refusal(of: type) else { return nil }
            throw DecodingError.typeMismatch(type, .init(codingPath: self.codingPath, debugDescription: reason))
        }
    }

    private enum FoundationTypes {
        private static let names = Set(
            ["Date", "Data", "Decimal", "URL"].flatMap { ["Foundation.\($0)", "FoundationEssentials.\($0)"] })

        static func refusal(of type: Any.Type) -> String? {
            guard self.names.contains(String(reflecting: type)) else { return nil }
            return
                "a \(type) needs the trait FoundationTypes of Tidemark, which is not enabled in this program; "
                + "enable the trait, or use a string"
        }
    }
#endif
