import TidemarkHTTPFields

/// Header fields that an app adds to each request of a protocol.
package enum AdditionalFields {
    /// The maximum size of all names and values, in bytes: servers accept heads of 8 KiB or more, and a target has its place there,
    /// too.
    package static let sizeLimit = 4 << 10

    /// The maximum number of fields.
    package static let countLimit = 64

    /// Names that HTTP itself gives a meaning in a request, or that the client sets.
    private static let reserved = [
        "Accept-Encoding", "Authorization", "Cache-Control", "Connection", "Content-Encoding", "Content-Length",
        "Content-Range", "Expect", "Host", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range",
        "If-Unmodified-Since", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Range", "TE", "Trailer",
        "Transfer-Encoding", "Upgrade",
    ]

    /// Checks fields.
    ///
    /// - Parameter names: The names that the protocol sets.
    /// - Throws: ``HTTPFailure/Kind/unsendable`` if a field can't be sent, is there twice, or is set otherwise. The message has no
    ///   value, which may be a secret.
    package static func check(
        _ fields: [(name: String, value: String)], reserving names: [String]
    ) throws(HTTPFailure) {
        guard fields.count <= Self.countLimit else {
            throw HTTPFailure(
                .unsendable,
                "There are \(fields.count) additional header fields, and at most \(Self.countLimit) are sent. Send fewer."
            )
        }
        try HTTPRequest("GET", "/", fields: fields).check()
        for (place, (name, _)) in fields.enumerated() {
            guard !(Self.reserved + names).contains(where: { HTTPFieldName.isSame($0, name) }) else {
                throw HTTPFailure(
                    .unsendable,
                    """
                    The header field “\(name)” can't be added: the protocol sets it, or HTTP gives it a meaning. Pass credentials \
                    as the token, and use another field for anything else.
                    """)
            }
            guard !fields[..<place].contains(where: { HTTPFieldName.isSame($0.name, name) }) else {
                throw HTTPFailure(
                    .unsendable,
                    "The header field “\(name)” is there twice: the case of its letters makes no difference. Keep one.")
            }
        }
        guard fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count }) <= Self.sizeLimit else {
            throw HTTPFailure(
                .unsendable,
                "The additional header fields are larger than \(Self.sizeLimit) bytes. Send fewer, or shorter ones.")
        }
    }

    /// Returns the fields of a request: those that were made for it, and the fixed ones that have other names.
    package static func merged(
        _ fixed: [(name: String, value: String)], with made: [(name: String, value: String)]
    ) -> [(name: String, value: String)] {
        fixed.filter { field in !made.contains { HTTPFieldName.isSame($0.name, field.name) } } + made
    }
}
