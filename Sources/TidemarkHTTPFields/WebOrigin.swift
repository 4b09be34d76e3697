/// The origin of a URL: scheme, host and port (RFC 6454 §4). A token is valid for one origin.
package struct WebOrigin: Hashable, Sendable {
    private let scheme: String
    private let host: String
    private let port: String

    /// The origin of an absolute URL; nil for any other text. The URL is read byte by byte, as in ``URLParts``: by `Character`, a
    /// slash with a combining mark is not `/`, and would become part of the host.
    package init?(_ url: String) {
        guard let parts = URLParts(url), let scheme = parts.scheme, let authority = parts.authority else { return nil }
        self.scheme = Self.inSmallLetters(scheme)
        self.host = Self.inSmallLetters(authority.host)
        let port = authority.port ?? ""
        self.port = port.isEmpty ? (self.scheme == "https" ? "443" : "80") : port
    }

    /// ASCII letters only: whether other letters in a host are equal is not decided here.
    private static func inSmallLetters(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// Returns whether a `Location` leads away from a URL. One that can't be compared does, since its origin is unknown.
    package static func leaves(_ base: String?, to location: String?) -> Bool {
        guard let location else { return true }
        // RFC 3986 §4.2: `//host` names another authority under the same scheme.
        let scheme = base.flatMap { URLParts($0)?.scheme } ?? "https"
        let target = location.utf8.starts(with: "//".utf8) ? "\(scheme):\(location)" : location
        guard let origin = WebOrigin(target) else {
            return target.utf8.prefix { !"/?#".utf8.contains($0) }.contains(UInt8(ascii: ":"))
        }
        return base.flatMap { WebOrigin($0) } != origin
    }
}
