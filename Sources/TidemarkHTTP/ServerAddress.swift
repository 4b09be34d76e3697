internal import Foundation
public import TidemarkCore

extension TidemarkError.Code {
    /// The URL of a server can't be right.
    public static let invalidURL = TidemarkError.Code("invalidURL")

    /// A token can't be sent: RFC 6750 section 2.1 allows letters, digits and `-._~+/`, with `=` at the end.
    public static let invalidToken = TidemarkError.Code("invalidToken")
}

/// Where a server is, and what it is shown; checked.
struct ServerAddress: Hashable, Sendable {
    /// The URL without a slash at its end.
    let base: String

    /// The bearer token.
    let token: String?

    private init(base: String, token: String?) {
        self.base = base
        self.token = token
    }

    /// Checks a URL and a token.
    init(_ url: String, token: String?) throws(TidemarkError) {
        guard url.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw Self.wrong(Self.shown(url), "has a line end or another control character in it")
        }
        guard let components = URLComponents(string: url), let scheme = components.scheme?.lowercased() else {
            throw Self.wrong(url, "is no URL")
        }
        guard ["http", "https"].contains(scheme) else {
            throw Self.wrong(url, "does not start with http:// or https://")
        }
        guard let host = components.host, !host.isEmpty, components.url != nil else {
            throw Self.wrong(url, "names no host")
        }
        // More than 16 bits are no port (RFC 9293 §3.1), and 0 is none that anyone listens on.
        guard components.port.map((1...65_535).contains) ?? true else {
            throw Self.wrong(url, "has a port that can't be; ports go from 1 to 65535")
        }
        guard components.user == nil, components.password == nil else {
            throw Self.wrong(Self.withoutPassword(components), "has a name or a password in it, and a token is needed")
        }
        guard components.query == nil, components.fragment == nil else {
            throw Self.wrong(url, "has a query or a fragment")
        }
        let base = url.utf8.reversed().drop { $0 == UInt8(ascii: "/") }.reversed()
        self.init(base: String(decoding: base, as: UTF8.self), token: try Self.checked(token))
    }

    /// The same place with another token.
    func with(token: String?) throws(TidemarkError) -> ServerAddress {
        ServerAddress(base: self.base, token: try Self.checked(token))
    }

    /// A password is never printed.
    private static func withoutPassword(_ components: URLComponents) -> String {
        var components = components
        components.user = nil
        components.password = nil
        return components.string ?? "the URL"
    }

    /// A URL with its control characters made visible: it goes to a terminal.
    private static func shown(_ url: String) -> String {
        String(decoding: url.utf8.map { $0 >= 0x20 && $0 != 0x7F ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    private static func wrong(_ url: String, _ why: String) -> TidemarkError {
        TidemarkError(.invalidURL, "“\(url)” \(why). The URL of a server reads like https://notes.example/v1.")
    }

    private static func checked(_ token: String?) throws(TidemarkError) -> String? {
        guard let token else { return nil }
        let text = token.utf8.reversed().drop { $0 == UInt8(ascii: "=") }
        guard !text.isEmpty, text.allSatisfy(Self.isAllowed) else {
            throw TidemarkError(
                .invalidToken,
                "The token is empty, or has a character that can't be sent. Copy it again, without blanks and line ends."
            )
        }
        return token
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default:
            "-._~+/".utf8.contains(byte)
        }
    }
}
