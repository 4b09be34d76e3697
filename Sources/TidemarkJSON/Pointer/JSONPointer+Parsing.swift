extension JSONPointer {
    /// Reads a pointer's text (RFC 6901 section 3): empty, or steps that each begin with `/`, where `~` stands
    /// only in `~0` and `~1`.
    ///
    /// - Throws: `JSONError` with the code `.pointer`, naming the byte that is wrong.
    public init(parsing text: String) throws(JSONError) {
        if let first = text.utf8.first, first != UInt8(ascii: "/") {
            throw .pointer(
                "\"\(text.beginning)\" is not a JSON Pointer: it does not begin with \"/\"; write "
                    + "\"/\(text.beginning)\" for the member, or \"\" for the whole document")
        }
        var tokens: [String] = []
        var token: [UInt8] = []
        var afterTilde = false
        for (offset, byte) in text.utf8.enumerated() {
            if afterTilde {
                switch byte {
                case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
                case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
                default: throw JSONPointer.strayTilde(in: text, at: offset - 1)
                }
                afterTilde = false
            } else if byte == UInt8(ascii: "~") {
                afterTilde = true
            } else if byte == UInt8(ascii: "/") {
                if offset > 0 { tokens.append(String(decoding: token, as: UTF8.self)) }
                token.removeAll(keepingCapacity: true)
            } else {
                token.append(byte)
            }
        }
        if afterTilde { throw JSONPointer.strayTilde(in: text, at: text.utf8.count - 1) }
        if !text.isEmpty { tokens.append(String(decoding: token, as: UTF8.self)) }
        self.init(tokens: tokens)
    }

    /// A member's name as it is written inside a pointer: `~` becomes `~0`, `/` becomes `~1`.
    static func escaped(_ token: String) -> String {
        let special = { (byte: UInt8) in byte == UInt8(ascii: "~") || byte == UInt8(ascii: "/") }
        guard token.utf8.contains(where: special) else { return token }
        var bytes: [UInt8] = []
        for byte in token.utf8 {
            switch byte {
            case UInt8(ascii: "~"): bytes += [byte, UInt8(ascii: "0")]
            case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func strayTilde(in text: String, at offset: Int) -> JSONError {
        .pointer(
            "\"\(text.beginning)\" is not a JSON Pointer: the \"~\" at byte \(offset + 1) is not followed by 0 or 1; "
                + "write \"~0\" for \"~\" and \"~1\" for \"/\"")
    }
}
