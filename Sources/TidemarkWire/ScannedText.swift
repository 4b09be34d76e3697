import TidemarkJSON

/// JSON text that a scan has found well-formed, with access to its ranges.
struct ScannedText {
    /// The kind of the value in a range, decided by its first byte.
    enum Kind {
        case absent, null, bool(Bool), number, string, array, object

        /// As in "is a string, not a number".
        var name: String {
            switch self {
            case .absent: "nothing"
            case .null: "null"
            case .bool: "a boolean"
            case .number: "a number"
            case .string: "a string"
            case .array: "an array"
            case .object: "an object"
            }
        }
    }

    let bytes: [UInt8]

    /// Whether the text is nested deeper than a document may be: then each record is checked by itself.
    var isDeep = false

    /// Whether a range can be read as a document.
    func isDocument(_ range: Range<Int>) -> Bool {
        !self.isDeep || (try? JSON(parsing: self.bytes[range])) != nil
    }

    func kind(_ range: Range<Int>) -> Kind {
        guard let first = self.bytes[range].first else { return .absent }
        return switch first {
        case UInt8(ascii: "n"): .null
        case UInt8(ascii: "t"): .bool(true)
        case UInt8(ascii: "f"): .bool(false)
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "{"): .object
        default: .number
        }
    }

    /// The decoded string in a range; nil for any other value.
    func string(_ range: Range<Int>) -> String? {
        guard case .string = self.kind(range) else { return nil }
        return JSONString(source: String(decoding: self.bytes[range.dropFirst().dropLast()], as: UTF8.self))?.value
    }

    /// A whole number from 0 on; nil for any other value, since a member for display only is no reason to refuse an answer.
    func count(_ range: Range<Int>) -> Int? {
        guard case .number = self.kind(range) else { return nil }
        return Int(String(decoding: self.bytes[range], as: UTF8.self)).flatMap { $0 < 0 ? nil : $0 }
    }

    /// The boolean in a range; nil for any other value.
    func bool(_ range: Range<Int>) -> Bool? {
        guard case .bool(let value) = self.kind(range) else { return nil }
        return value
    }
}
