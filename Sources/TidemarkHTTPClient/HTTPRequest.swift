/// One request: a method, a target, header fields and a body.
///
/// ```swift
/// let list = HTTPRequest("GET", "/notes?_since=12", fields: [("Accept", "application/json")])
/// let edit = HTTPRequest(
///     "PATCH", "/notes/42", fields: [("If-Match", "\"7\""), ("Content-Type", "application/json-patch+json")], body: body)
/// ```
///
/// The client sets `Accept-Encoding`, `Content-Length`, `Host` and, with credentials, `Authorization`.
public struct HTTPRequest: Sendable {
    /// The method, as it is sent: `GET`, `PUT`, `PATCH`, `PROPFIND`.
    public var method: String

    /// The part after the client's URL, with its slash and percent-encoded: `/notes/42?x=1`; for a link, the link.
    public var target: String

    /// The header fields.
    public var fields: [(name: String, value: String)]

    /// The body; nil for none.
    public var body: [UInt8]?

    /// Whether the target was received in an answer, and may be an absolute URL.
    let isLink: Bool

    /// Makes a request to a target below the client's URL.
    public init(
        _ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.isLink = false
    }

    /// Makes a GET of a link in an answer (`Link`, `Next-Page`, a member of its JSON): absolute, or relative to the client's
    /// URL (RFC 3986 §5).
    ///
    /// A link to another origin is not sent, with or without credentials: it fails as
    /// ``HTTPFailure/Kind/unsendable``.
    public init(link: String, fields: [(name: String, value: String)] = []) {
        self.method = "GET"
        self.target = link
        self.fields = fields
        self.body = nil
        self.isLink = true
    }
}

extension HTTPRequest {
    /// The body as it is sent: some methods have a body even if it is empty (RFC 9110 §8.6).
    var sentBody: [UInt8]? {
        self.body ?? (["POST", "PUT", "PATCH"].contains(self.method) ? [] : nil)
    }

    /// Checks whether it can be sent: a line end in a field would begin another field.
    func check() throws(HTTPFailure) {
        guard Self.isToken(self.method) else {
            throw HTTPFailure(.unsendable, "“\(self.method.printable)” is not an HTTP method.")
        }
        // The body of a GET has no meaning (RFC 9110 §9.3.1), and URLSession does not send it.
        guard !["GET", "HEAD"].contains(self.method) || self.body == nil else {
            throw HTTPFailure(.unsendable, "A \(self.method) has no body. Send the body with another method.")
        }
        for field in self.fields {
            guard Self.isToken(field.name), field.value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 })
            else {
                throw HTTPFailure(
                    .unsendable,
                    "The header field “\(field.name.printable)” can't be sent: its name is invalid, or its value has a line end or another control character in it."
                )
            }
        }
    }

    /// The characters of RFC 9110 §5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

extension String {
    /// This text with its control characters replaced, for output on a terminal.
    var printable: String {
        String(decoding: self.utf8.map { $0 >= 0x20 && $0 != 0x7F ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
