/// Scheme, host and port of a URL (RFC 6454 §4): what a token is for.
package struct WebOrigin: Hashable, Sendable {
    private let scheme: String
    private let host: String
    private let port: String

    /// The origin of an absolute URL; nil for any other text.
    package init?(_ url: String) {
        guard let colon = url.firstIndex(of: ":") else { return nil }
        let scheme = url[..<colon].lowercased()
        let rest = url[url.index(after: colon)...]
        guard !scheme.isEmpty, scheme.allSatisfy({ $0.isLetter }), rest.hasPrefix("//") else { return nil }
        let authority = rest.dropFirst(2).prefix { !"/?#\\".contains($0) }
        let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        let isAddress = place.last == "]"
        let split = isAddress ? nil : place.lastIndex(of: ":")
        let port = split.map { String(place[place.index(after: $0)...]) } ?? ""
        self.scheme = scheme
        self.host = place[..<(split ?? place.endIndex)].lowercased()
        self.port = port.isEmpty ? (scheme == "https" ? "443" : "80") : port
    }

    /// Whether a `Location` leads away from a URL. One that can't be compared does: nobody knows where it leads.
    package static func leaves(_ base: String?, to location: String?) -> Bool {
        guard let location else { return true }
        // RFC 3986 §4.2: `//host` names another authority under the same scheme.
        let scheme = base?.prefix { $0 != ":" } ?? "https"
        let target = location.hasPrefix("//") ? "\(scheme):\(location)" : location
        guard let origin = WebOrigin(target) else { return target.prefix { !"/?#".contains($0) }.contains(":") }
        return base.flatMap { WebOrigin($0) } != origin
    }
}
