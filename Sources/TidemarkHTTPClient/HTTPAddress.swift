import TidemarkHTTPFields

/// The URL of a server, validated.
struct HTTPAddress: Hashable, Sendable {
    /// The URL without a slash at its end.
    let base: String

    /// Whether its scheme is `https`.
    let isSecure: Bool

    /// Checks a URL.
    init(_ url: String) throws(HTTPFailure) {
        guard url.isPlain else { throw Self.wrong(url.printable, "contains a line end or another control character") }
        guard let parts = URLParts(url), let scheme = parts.scheme?.lowercased() else {
            throw Self.wrong(url, "is not a URL")
        }
        guard ["http", "https"].contains(scheme) else {
            throw Self.wrong(url, "does not start with http:// or https://")
        }
        guard let authority = parts.authority, !authority.host.isEmpty else { throw Self.wrong(url, "names no host") }
        guard authority.isHostASCII else {
            throw Self.wrong(
                url, "has a host with letters beyond ASCII; write the host in its form for DNS, which begins with xn--")
        }
        guard authority.isPortPossible else { throw Self.wrong(url, "has an invalid port; ports are from 1 to 65535") }
        guard authority.userInfo == nil else {
            throw Self.wrong(url, "contains a name or a password; pass credentials separately")
        }
        guard parts.query == nil, parts.fragment == nil else { throw Self.wrong(url, "has a query or a fragment") }
        let base = url.utf8.reversed().drop { $0 == UInt8(ascii: "/") }.reversed()
        self.base = String(decoding: base, as: UTF8.self)
        self.isSecure = scheme == "https"
    }

    /// The URL of a request.
    func url(of request: HTTPRequest) throws(HTTPFailure) -> String {
        guard request.target.isPlain else { throw .notURL(request.target.printable) }
        guard request.isLink else {
            // Without the slash the target could become a part of the host name: notes.example and .evil.
            guard [nil, UInt8(ascii: "/"), UInt8(ascii: "?")].contains(request.target.utf8.first) else {
                throw HTTPFailure(.unsendable, "The target “\(request.target)” does not start with a slash.")
            }
            return self.base + request.target
        }
        guard !request.target.isEmpty, let base = URLParts(self.base + "/"), let link = URLParts(request.target) else {
            throw .notURL(request.target)
        }
        let url = base.resolve(link)
        let absolute = url.text
        // A name before an @ would be sent as credentials, and some parsers read a backslash as a slash.
        let isPlain = !absolute.utf8.contains(UInt8(ascii: "\\")) && url.authority?.userInfo == nil
        guard isPlain, !WebOrigin.leaves(self.base, to: absolute) else {
            throw HTTPFailure(
                .unsendable,
                "A link leads from \(self.base) to another server, and is not followed: \(absolute.printable)")
        }
        return absolute
    }

    private static func wrong(_ url: String, _ why: String) -> HTTPFailure {
        HTTPFailure(
            .unsendable,
            "“\(self.withoutCredentials(url))” \(why). The URL of a server reads like https://notes.example/v1.")
    }

    /// A password is never printed, even if the text can't be parsed.
    private static func withoutCredentials(_ url: String) -> String {
        guard let parts = URLParts(url), parts.authority != nil else {
            guard let at = url.utf8.lastIndex(of: UInt8(ascii: "@")) else { return url }
            return "…" + String(Substring(url.utf8[at...]))
        }
        return parts.authority?.userInfo == nil ? url : parts.withoutUserInfo.text
    }
}

extension String {
    /// Whether it contains no control character.
    fileprivate var isPlain: Bool { self.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
}
