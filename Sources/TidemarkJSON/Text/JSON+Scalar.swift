extension JSON {
    /// Reads a text that is one string, number, boolean or null and nothing else, or gives nil; then the parser says why.
    ///
    /// The fields of a scanned page are parsed one by one, and for a few bytes preparing yajl costs more than reading.
    init?(scalar bytes: ArraySlice<UInt8>) {
        guard let first = bytes.first else { return nil }
        switch first {
        case UInt8(ascii: "\""):
            guard bytes.count >= 2, bytes.last == UInt8(ascii: "\""),
                let source = String(validating: bytes.dropFirst().dropLast(), as: UTF8.self),
                let string = JSONString(source: source)
            else {
                return nil
            }
            self = .string(string)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard JSONNumber.isWellFormed(bytes) else { return nil }
            self = .number(JSONNumber(checkedText: String(decoding: bytes, as: UTF8.self)))
        case UInt8(ascii: "t") where bytes.elementsEqual("true".utf8): self = .bool(true)
        case UInt8(ascii: "f") where bytes.elementsEqual("false".utf8): self = .bool(false)
        case UInt8(ascii: "n") where bytes.elementsEqual("null".utf8): self = .null
        default: return nil
        }
    }
}
