/// One request: a method, a place, header fields and a body.
///
/// ```swift
/// let list = CarrierRequest("GET", "/notes?_since=12", fields: [("Accept", "application/json")])
/// let edit = CarrierRequest(
///     "PATCH", "/notes/42", fields: [("If-Match", "\"7\""), ("Content-Type", "application/json-patch+json")], body: body)
/// ```
///
/// `Accept-Encoding`, `Content-Length`, `Host` and, where credentials are given, `Authorization` are the carrier's.
public struct CarrierRequest: Sendable {
    /// The method, as it is sent: `GET`, `PUT`, `PATCH`, `PROPFIND`.
    public var method: String

    /// What is appended to the carrier's URL, with its slash and percent-encoded: `/notes/42?x=1`; or, of a link, the link.
    public var target: String

    /// The header fields.
    public var fields: [(name: String, value: String)]

    /// The body; nil for none.
    public var body: [UInt8]?

    /// Whether the target came from an answer, and may be a URL of its own.
    let isLink: Bool

    /// Makes a request to a place below the carrier's URL.
    public init(
        _ method: String, _ target: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil
    ) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
        self.isLink = false
    }

    /// Makes a GET of what an answer linked to (`Link`, `Next-Page`, a member of its JSON): absolute, or relative to the
    /// carrier's URL (RFC 3986 §5).
    ///
    /// A link to another origin is not sent at all, with credentials or without: it fails as
    /// ``CarrierFailure/Kind/unsendable``.
    public init(link: String, fields: [(name: String, value: String)] = []) {
        self.method = "GET"
        self.target = link
        self.fields = fields
        self.body = nil
        self.isLink = true
    }
}

extension CarrierRequest {
    /// The body as it is sent: some methods have one, were it empty (RFC 9110 §8.6).
    var sentBody: [UInt8]? {
        self.body ?? (["POST", "PUT", "PATCH"].contains(self.method) ? [] : nil)
    }

    /// Whether it can be sent as it is: a line end in a field would be another field.
    func check() throws(CarrierFailure) {
        guard Self.isToken(self.method) else {
            throw CarrierFailure(.unsendable, "“\(self.method.printable)” is no method of HTTP.")
        }
        guard self.method != "HEAD" || self.body == nil else {
            throw CarrierFailure(.unsendable, "A HEAD has no body.")
        }
        for field in self.fields {
            guard Self.isToken(field.name), field.value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 })
            else {
                throw CarrierFailure(
                    .unsendable,
                    "The header field “\(field.name.printable)” can't be sent: its name is none, or its value has a line end or another control character in it."
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
    /// The same with its control characters made visible: it goes to a terminal.
    var printable: String {
        String(decoding: self.utf8.map { $0 >= 0x20 && $0 != 0x7F ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
