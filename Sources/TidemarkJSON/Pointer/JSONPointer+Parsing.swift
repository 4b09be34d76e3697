extension JSONPointer {
    /// Reads a pointer's text (RFC 6901 §3): empty, or steps that each begin with `/`, in which `~` occurs only in `~0` and
    /// `~1`.
    ///
    /// - Throws: `JSONError` with the code `.pointer` and the byte of the error.
    public init(parsing text: String) throws(JSONError) {
        if let first = text.utf8.first, first != UInt8(ascii: "/") {
            throw .pointer(
                "“\(text.beginning)” is not a JSON Pointer: it does not begin with “/”; write "
                    + "“/\(text.beginning)” for the member, or “” for the whole document")
        }
        if let offset = unsafe text.withBytes({ unsafe JSONPointer.strayTilde(in: $0) }) {
            throw JSONPointer.strayTilde(in: text, at: offset)
        }
        self.init(checkedText: text)
    }

    /// The offset of the first “~” that is not followed by 0 or 1; nil if there is none.
    private static func strayTilde(in text: UnsafeBufferPointer<UInt8>) -> Int? {
        text.indices.first { place in
            guard unsafe text[place] == UInt8(ascii: "~") else { return false }
            return unsafe place + 1 == text.count || text[place + 1] & ~1 != UInt8(ascii: "0")
        }
    }

    /// Returns a step without its escapes: `~1` is `/`, `~0` is `~`.
    static func unescaped(_ step: Substring) -> String {
        guard step.utf8.contains(UInt8(ascii: "~")) else { return String(step) }
        var bytes: [UInt8] = []
        var afterTilde = false
        for byte in step.utf8 {
            if afterTilde {
                bytes.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
            } else if byte != UInt8(ascii: "~") {
                bytes.append(byte)
            }
            afterTilde = !afterTilde && byte == UInt8(ascii: "~")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A member's name as it is written inside a pointer: `~` becomes `~0`, `/` becomes `~1`.
    static func escaped(_ token: String) -> String {
        var token = token
        let isSpecial = token.withUTF8 { unsafe JSONPointer.mustBeEscaped($0) }
        guard isSpecial else { return token }
        var bytes: [UInt8] = []
        token.withUTF8 { unsafe JSONPointer.writeEscaped($0, to: &bytes) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends a member's name as it is written inside a pointer.
    static func writeEscaped(_ token: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        guard unsafe JSONPointer.mustBeEscaped(token) else { return unsafe bytes.append(contentsOf: token) }
        for index in 0..<token.count {
            let byte = unsafe token[index]
            switch byte {
            case UInt8(ascii: "~"): bytes += [byte, UInt8(ascii: "0")]
            case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
            default: bytes.append(byte)
            }
        }
    }

    static func mustBeEscaped(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe token.contains { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }
    }

    private static func strayTilde(in text: String, at offset: Int) -> JSONError {
        .pointer(
            "“\(text.beginning)” is not a JSON Pointer: the “~” at byte \(offset + 1) is not followed by 0 or 1; "
                + "write “~0” for “~” and “~1” for “/”")
    }
}

extension JSONPointer: ExpressibleByStringLiteral {
    /// Makes a pointer from a literal, such as `"/lines/0/price"`. A literal that is no JSON pointer traps; for a text that is
    /// computed use ``init(parsing:)``.
    public init(stringLiteral text: String) {
        do throws(JSONError) {
            try self.init(parsing: text)
        } catch {
            preconditionFailure(error.message)
        }
    }
}
