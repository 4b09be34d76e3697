package import TidemarkCore
import TidemarkJSON

/// An exchange as an HTTP request (Contract §5): the part after the server's URL, and the body.
///
/// ```
/// let wire = WireRequest(ExchangeRequest(collection: "to do", cursor: nil, limit: 100))
/// wire.method                                  // GET
/// wire.target                                  // /to%20do?limit=100
/// ```
package struct WireRequest: Hashable, Sendable {
    /// `GET`, or `POST` when there are edits.
    package let method: String

    /// The collection as one segment of a path, percent-encoded, with the slash before it.
    package let path: String

    /// The query, percent-encoded, without the question mark.
    package let query: String

    /// The JSON of a POST; nil for a GET.
    package let body: [UInt8]?

    /// Converts an exchange to HTTP. The bytes of the edits are copied to the body unchanged (R17, I5).
    package init(_ request: ExchangeRequest) {
        self.method = request.uploads.isEmpty ? "GET" : "POST"
        self.path = "/" + Self.segment(request.collection)
        self.query = Self.query(request)
        self.body = request.uploads.isEmpty ? nil : Self.body(request.uploads)
    }

    /// Path and query, which are appended to the URL of the server.
    package var target: String { "\(self.path)?\(self.query)" }

    /// The header fields that every transport sends; the transport adds its own (authorization, encodings).
    package var headers: [(name: String, value: String)] {
        let accept = (name: "Accept", value: "application/json, application/problem+json")
        return self.body == nil ? [accept] : [accept, (name: "Content-Type", value: "application/json")]
    }

    private static func query(_ request: ExchangeRequest) -> String {
        var query = ""
        if let cursor = request.cursor { query += "max_updated_at=\(Self.percentEncoded(cursor))&" }
        if let seen = request.seen { query += "seen=\(Self.percentEncoded(seen))&" }
        return "\(query)limit=\(request.limit)\(request.countsRows ? "&count=1" : "")"
    }

    private static func body(_ uploads: [UploadRequest]) -> [UInt8] {
        var writer = JSONWriter(capacity: uploads.reduce(16) { $0 + $1.encodedEdit.count + 1 })
        writer.object { body in
            body.key("edits")
            body.array { edits in
                for upload in uploads { edits.json(upload.encodedEdit) }
            }
        }
        return writer.bytes
    }

    /// A name as one segment. The names `.` and `..` would be removed as path steps (RFC 3986 §5.2.4).
    private static func segment(_ name: String) -> String {
        switch Array(name.utf8) {
        case Array(".".utf8): "%2E"
        case Array("..".utf8): "%2E%2E"
        default: Self.percentEncoded(name)
        }
    }

    /// All but the unreserved characters of RFC 3986 §2.3 as escapes of their UTF-8.
    static func percentEncoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if Self.isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(contentsOf: [UInt8(ascii: "%"), Self.digits[Int(byte >> 4)], Self.digits[Int(byte & 15)]])
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}
