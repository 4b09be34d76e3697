/// The authority of a URL: the part between `//` and the path (RFC 3986 §3.2).
package struct URLAuthority: Sendable {
    /// The whole authority, as written.
    package let text: String

    /// The part before the `@`, or nil.
    package let userInfo: String?

    /// A name or an address; an IPv6 address has its brackets.
    package let host: String

    /// The part after the colon, or nil.
    package let port: String?

    /// Nil if the text is not an authority.
    init?(_ text: Substring.UTF8View) {
        var rest = text
        let at = rest.lastIndex(of: UInt8(ascii: "@"))
        if let at { rest = rest[rest.index(after: at)...] }
        // The colons of an address are within its brackets.
        let name = rest.first == UInt8(ascii: "[") ? rest.firstIndex(of: UInt8(ascii: "]")) : rest.startIndex
        guard let name else { return nil }
        let colon = rest[name...].firstIndex(of: UInt8(ascii: ":"))
        let host = rest[..<(colon ?? rest.endIndex)]
        let port = colon.map { rest[rest.index(after: $0)...] }
        guard Self.isHost(host), port?.allSatisfy(URLEscapes.isDigit) ?? true else { return nil }
        self.text = String(Substring(text))
        self.userInfo = at.map { String(Substring(text[..<$0])) }
        self.host = String(Substring(host))
        self.port = port.map { String(Substring($0)) }
    }

    private init(host: String, port: String?) {
        self.text = host + (port.map { ":\($0)" } ?? "")
        self.userInfo = nil
        self.host = host
        self.port = port
    }

    /// Whether the port is valid: at most 16 bits (RFC 9293 §3.1), and not 0, on which no server listens.
    package var isPortPossible: Bool {
        self.port.map { $0.isEmpty || (1...65_535).contains(Int($0) ?? 0) } ?? true
    }

    var withoutUserInfo: URLAuthority { URLAuthority(host: self.host, port: self.port) }

    /// Whether the host is written in ASCII. A name in another script has a form in ASCII, `xn--…` (RFC 5890 §2.3.2.1), and
    /// a transport may or may not convert it: libcurl depends on the locale of the program.
    /// An escaped letter counts as the letter.
    package var isHostASCII: Bool {
        let host = self.host.utf8
        guard host.first != UInt8(ascii: "[") else { return host.allSatisfy { $0 < 0x80 } }
        let highDigits = "89abcdefABCDEF".utf8
        return zip(host, Array(host.dropFirst()) + [0]).allSatisfy { byte, next in
            byte < 0x80 && !(byte == UInt8(ascii: "%") && highDigits.contains(next))
        }
    }

    /// Letters beyond ASCII are accepted here, so that a message can name the host (``isHostASCII``).
    private static func isHost(_ host: Substring.UTF8View) -> Bool {
        guard host.first == UInt8(ascii: "[") else { return URLEscapes.name.needsNone(host) }
        return host.last == UInt8(ascii: "]") && URLEscapes.address.needsNone(host.dropFirst().dropLast())
    }
}
