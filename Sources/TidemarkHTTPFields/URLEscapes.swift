/// The bytes that a part of a URL contains unescaped; all others are written as `%` and two digits (RFC 3986 §2).
struct URLEscapes: Sendable {
    /// Segments and the slashes between them (RFC 3986 §3.3).
    static let path = URLEscapes(marks: "-._~!$&'()*+,;=:@/")

    /// A query or a fragment (RFC 3986 §3.4 and §3.5).
    static let query = URLEscapes(marks: "-._~!$&'()*+,;=:@/?")

    /// A registered name (RFC 3986 §3.2.2), in any script.
    static let name = URLEscapes(marks: "-._~!$&'()*+,;=", beyondASCII: true)

    /// The contents of brackets (RFC 3986 §3.2.2), with a zone (RFC 6874), which is often written with a bare `%`.
    static let address = URLEscapes(marks: "-._~!$&'()*+,;=:%")

    private let marks: String
    private var beyondASCII = false

    private init(marks: String, beyondASCII: Bool = false) {
        self.marks = marks
        self.beyondASCII = beyondASCII
    }

    /// Returns a text with the necessary escapes. An existing escape is kept, and a `%` that does not begin one is escaped.
    func applied(to text: String) -> String {
        guard !self.needsNone(text.utf8[...]) else { return text }
        let bytes = Array(text.utf8)
        var escaped: [UInt8] = []
        for (place, byte) in bytes.enumerated() {
            if self.isTaken(byte) || byte == UInt8(ascii: "%") && Self.isEscape(bytes[place...]) {
                escaped.append(byte)
            } else {
                escaped += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 0xF)]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    /// Returns whether a text needs no escape.
    func needsNone(_ text: Substring.UTF8View) -> Bool {
        var rest = text
        while let byte = rest.first {
            guard self.isTaken(byte) || byte == UInt8(ascii: "%") && Self.isEscape(rest) else { return false }
            rest = rest.dropFirst()
        }
        return true
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private func isTaken(_ byte: UInt8) -> Bool {
        Self.isLetter(byte) || Self.isDigit(byte) || self.marks.utf8.contains(byte) || self.beyondASCII && byte > 0x7F
    }

    private static func isEscape(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.prefix(3).count == 3
            && bytes.dropFirst().prefix(2).allSatisfy {
                Self.isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0 | 0x20)
            }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
