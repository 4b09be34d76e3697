import TidemarkHTTPFields

/// One HTTP request as the core gets it: complete, without a socket.
///
/// ```swift
/// let request = ServerRequest(method: "GET", target: "/v1/notes?limit=10")
/// ```
public struct ServerRequest: Sendable {
    /// The method, in upper case as in HTTP.
    public var method: String
    /// The path, still percent-encoded: a `pk` may contain a slash.
    public var path: String
    /// The members of the query, decoded.
    public var query: [(String, String)]
    /// The undecoded query; nil if the request was made from its parts.
    private var undecodedQuery: Substring?
    /// The header fields; see ``header(_:)`` for the look-up.
    public var headers: [(String, String)]
    /// The body, uncompressed.
    public var body: [UInt8]

    /// A request from its parts.
    public init(
        method: String, path: String, query: [(String, String)] = [], headers: [(String, String)] = [],
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// A request from its target, `/path?query`, as in the first line of HTTP (RFC 9112 §3.2.1).
    ///
    /// A member of the query that is not percent-encoded UTF-8 is used undecoded.
    public init(method: String, target: String, headers: [(String, String)] = [], body: [UInt8] = []) {
        let (path, query) = Self.halves(target[...], at: UInt8(ascii: "?"))
        self.init(
            method: method, path: String(path), query: Self.members(of: query).map(Self.member), headers: headers,
            body: body)
        self.undecodedQuery = query
    }

    /// The parts of the path, still percent-encoded: split before they are decoded, as a `pk` may contain a slash.
    var segments: [Substring] {
        self.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// The first value of a header field; names are case-insensitive (RFC 9110 §5.1).
    public func header(_ name: String) -> String? {
        self.headers.first { HTTPFieldName.isSame($0.0, name) }?.1
    }

    /// The first value of a member of the query.
    public func parameter(_ name: String) -> String? {
        self.query.first { $0.0 == name }?.1
    }

    /// All undecoded values of a member of the query: for lists, which are split before they are decoded.
    func undecodedParameters(_ name: String) -> [Substring] {
        guard let text = self.undecodedQuery else { return self.query.filter { $0.0 == name }.map { $0.1[...] } }
        return Self.members(of: text).compactMap { member in
            let (found, value) = Self.halves(member, at: UInt8(ascii: "="))
            return Self.decoded(found) == name ? value : nil
        }
    }

    /// Split at bytes: a combining mark after “&” would make it another character.
    private static func members(of query: Substring) -> [Substring] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { Substring($0) }
    }

    private static func member(_ text: Substring) -> (String, String) {
        let (name, value) = Self.halves(text, at: UInt8(ascii: "="))
        return (Self.decoded(name), Self.decoded(value))
    }

    /// The parts before and after the first such byte; the second is empty if there is none.
    private static func halves(_ text: Substring, at byte: UInt8) -> (Substring, Substring) {
        guard let place = text.utf8.firstIndex(of: byte) else { return (text, "") }
        return (text[..<place], text[text.utf8.index(after: place)...])
    }

    private static func decoded(_ text: Substring) -> String {
        PercentCoding.decode(text) ?? String(text)
    }
}
