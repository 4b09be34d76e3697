/// Who is asked: what stands between `//` and the path of a URL (RFC 3986 §3.2).
package struct URLAuthority: Sendable {
    /// All of it, as it is written.
    package let text: String

    /// What stands before the `@`; nil where there is none.
    package let userInfo: String?

    /// A name or an address, that of IPv6 with its brackets.
    package let host: String

    /// What stands behind the colon; nil where there is none.
    package let port: String?

    /// Nil when it is none.
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

    /// Whether somebody can listen there: more than 16 bits are no port (RFC 9293 §3.1), and 0 is none that anyone listens on.
    package var isPortPossible: Bool {
        self.port.map { $0.isEmpty || (1...65_535).contains(Int($0) ?? 0) } ?? true
    }

    var withoutUserInfo: URLAuthority { URLAuthority(host: self.host, port: self.port) }

    /// Letters beyond ASCII are taken: what a name in another script is called in the Internet is the transport's to know.
    private static func isHost(_ host: Substring.UTF8View) -> Bool {
        guard host.first == UInt8(ascii: "[") else { return URLEscapes.name.needsNone(host) }
        return host.last == UInt8(ascii: "]") && URLEscapes.address.needsNone(host.dropFirst().dropLast())
    }
}
