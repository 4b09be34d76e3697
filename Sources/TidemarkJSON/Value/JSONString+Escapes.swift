extension JSONString {
    /// Escapes what RFC 8259 §7 says must be escaped, and nothing else.
    static func escaped(_ value: String) -> String {
        guard value.utf8.contains(where: JSONString.mustBeEscaped) else { return value }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.utf8.count + 8)
        for byte in value.utf8 {
            JSONString.appendEscaped(byte, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes well-formed source text.
    static func decoded(_ source: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.utf8.count)
        var rest = source.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "\\"), let letter = rest.next() else {
                bytes.append(byte)
                continue
            }
            guard letter == UInt8(ascii: "u") else {
                bytes.append(JSONString.meaning(ofEscape: letter) ?? letter)
                continue
            }
            let unit = JSONString.hexUnit(&rest)
            guard (0xD800..<0xDC00).contains(unit) else {
                JSONString.appendScalar(unit, to: &bytes)
                continue
            }
            // Well-formed source has the other half right behind: backslash, u, four digits.
            _ = rest.next()
            _ = rest.next()
            let low = JSONString.hexUnit(&rest)
            JSONString.appendScalar(0x10000 + ((unit & 0x3FF) << 10) + (low & 0x3FF), to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The byte that a one-letter escape stands for, or nil if there is no such escape.
    static func meaning(ofEscape letter: UInt8) -> UInt8? {
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// The value of a hexadecimal digit, or nil if it is none.
    static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscaped(_ byte: UInt8, to bytes: inout [UInt8]) {
        guard JSONString.mustBeEscaped(byte) else {
            bytes.append(byte)
            return
        }
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x00..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        default: bytes.append(byte)
        }
    }

    private static func hexUnit(_ rest: inout String.UTF8View.Iterator) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            unit = unit << 4 | (rest.next().flatMap(JSONString.hexDigit) ?? 0)
        }
        return unit
    }

    private static func appendScalar(_ value: UInt32, to bytes: inout [UInt8]) {
        let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
}
