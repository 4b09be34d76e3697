import TidemarkHTTPFields

/// One HTTP answer: a status, header fields, and the whole body.
public struct ServerResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header fields; the sender adds length and encoding of the body.
    public var headers: [(String, String)]
    /// The body. For a HEAD it is the body of the GET, so that its length is known; it is not sent.
    public var body: [UInt8]

    /// The account of the request, for an access log; nil if it is unknown. It is not sent.
    public var account: String?

    /// The header field in which each answer names the version of the wire (Contract §5).
    static let wireField = (name: "Tidemark-Wire", value: "1")

    /// An answer from its parts; the version of the wire is added to its header fields.
    public init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers + [(Self.wireField.name, Self.wireField.value)]
        self.body = body
    }

    /// An answer that is `application/problem+json` (RFC 9457).
    public init(_ problem: Problem, headers: [(String, String)] = []) {
        let fixed = [("Content-Type", "application/problem+json"), ("Cache-Control", "no-store")]
        self.init(status: problem.status, headers: fixed + headers, body: problem.bytes)
    }

    /// The first value of a header field; names are case-insensitive (RFC 9110 §5.1).
    public func header(_ name: String) -> String? {
        self.headers.first { HTTPFieldName.isSame($0.0, name) }?.1
    }

    /// A successful answer, which caches must not store.
    static func json(_ body: [UInt8]) -> ServerResponse {
        ServerResponse(
            status: 200, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")], body: body)
    }
}
