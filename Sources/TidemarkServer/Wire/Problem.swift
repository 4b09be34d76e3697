import TidemarkJSON

/// A refusal on the wire: `application/problem+json` (RFC 9457), for a whole request or for one edit.
///
/// `type` is `about:blank`, so `title` is the phrase of the status; programs read `code`, users read `detail`.
public struct Problem: Error, Sendable, Hashable {
    /// The kind of refusal; open, so that a later version can add to it.
    public struct Code: Sendable, Hashable {
        /// The name on the wire.
        public let name: String

        /// A kind of refusal with this name.
        public init(_ name: String) {
            self.name = name
        }
    }

    /// The HTTP status; inside a RESULT, the status that the edit would have had alone.
    public var status: Int
    /// The kind of refusal.
    public var code: Code
    /// The error and how to correct it.
    public var detail: String
    /// The position in the JSON: in the record if a patch does not apply, else in the edit or the body (RFC 6901).
    public var pointer: String?
    /// The position in the text of the body, if it is not JSON.
    public var place: Place?
    /// The account that the problem concerns, as in an ANSWER; nil if it concerns none.
    public var account: String?

    /// A position in the text of a body; line and column count from 1, the offset from 0, all in bytes.
    public struct Place: Sendable, Hashable {
        /// The line.
        public var line: Int
        /// The column.
        public var column: Int
        /// The number of bytes before it.
        public var offset: Int

        /// A position from its numbers.
        public init(line: Int, column: Int, offset: Int) {
            self.line = line
            self.column = column
            self.offset = offset
        }
    }

    /// A refusal from its parts.
    public init(_ status: Int, _ code: Code, _ detail: String, pointer: String? = nil, place: Place? = nil) {
        self.status = status
        self.code = code
        self.detail = detail
        self.pointer = pointer
        self.place = place
    }

    /// The JSON object as it is sent.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.object { problem in
            problem.member("type", "about:blank")
            problem.member("title", Self.phrase(self.status))
            problem.member("status", self.status)
            problem.member("code", self.code.name)
            problem.member("detail", self.detail)
            if let pointer = self.pointer { problem.member("pointer", pointer) }
            if let place = self.place {
                problem.member("line", place.line)
                problem.member("column", place.column)
                problem.member("offset", place.offset)
            }
            if let account = self.account { problem.member("account", account) }
        }
        return writer.bytes
    }

    /// The phrase of a status (RFC 9110 §15), which is the title of a problem of the type `about:blank` (RFC 9457 §4.2.1).
    private static func phrase(_ status: Int) -> String {
        switch status {
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 410: "Gone"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status \(status)"
        }
    }
}
