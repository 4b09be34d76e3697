extension JSONString {
    /// Escapes the characters that RFC 8259 §7 requires, and no others.
    static func escaped(_ value: String) -> String {
        guard unsafe value.withBytes({ unsafe JSONString.mustBeEscaped($0) }) else { return value }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.utf8.count + 8)
        JSONString.writeEscaped(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a string as ``escaped(_:)`` makes it.
    static func writeEscaped(_ value: String, to bytes: inout [UInt8]) {
        unsafe value.withBytes { unsafe JSONString.writeEscaped($0, to: &bytes) }
    }

    /// Appends the UTF-8 of a string as ``escaped(_:)`` makes it.
    static func writeEscaped(_ utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        // Almost no string needs an escape, and it is appended as one block.
        guard unsafe Self.mustBeEscaped(utf8) else { return unsafe bytes.append(contentsOf: utf8) }
        unsafe utf8.forEach { JSONString.appendEscaped($0, to: &bytes) }
    }

    /// Whether a string with this UTF-8 is written with escapes.
    static func mustBeEscaped(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        // Without an early exit the compiler vectorizes the loop.
        let found = unsafe utf8.reduce(into: UInt8(0)) { found, byte in
            found |= byte < 0x20 ? 1 : 0
            found |= byte == UInt8(ascii: "\"") ? 1 : 0
            found |= byte == UInt8(ascii: "\\") ? 1 : 0
        }
        return found != 0
    }

    /// Decodes well-formed source text.
    static func decoded(_ source: String) -> String {
        unsafe source.withBytes { unsafe JSONString.decoded($0) }
    }

    /// Decodes well-formed source text.
    static func decoded(_ source: UnsafeBufferPointer<UInt8>) -> String {
        // An escape is never shorter than its decoded bytes.
        unsafe String(unsafeUninitializedCapacity: source.count) { room in
            var rest = unsafe Decoding(source.makeIterator())
            var count = 0
            while let byte = unsafe rest.next() {
                unsafe room[count] = byte
                count += 1
            }
            return count
        }
    }

    /// Reads the digits of a `\u` escape, and the second half of a surrogate pair.
    static func scalar(_ rest: inout some IteratorProtocol<UInt8>) -> Unicode.Scalar {
        var value = self.hexUnit(&rest)
        if (0xD800..<0xDC00).contains(value) {
            // In well-formed source the second half follows: backslash, u, four digits.
            _ = rest.next()
            _ = rest.next()
            value = 0x10000 + ((value & 0x3FF) << 10) + (self.hexUnit(&rest) & 0x3FF)
        }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }

    /// The byte for a one-letter escape, or nil if there is no such escape.
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

    /// The value of a hexadecimal digit, or nil if it is not one.
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

    private static func hexUnit(_ rest: inout some IteratorProtocol<UInt8>) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            unit = unit << 4 | (rest.next().flatMap(JSONString.hexDigit) ?? 0)
        }
        return unit
    }
}
