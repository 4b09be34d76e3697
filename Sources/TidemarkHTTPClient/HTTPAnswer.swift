import TidemarkHTTPFields

/// A whole answer, whatever its status.
public struct HTTPAnswer: Sendable {
    /// The wait that a server asks for (RFC 9110 §10.2.3).
    public enum RetryAfter: Hashable, Sendable {
        /// After a delay of at most a day, since a longer one is an error of the server.
        case delay(Duration)

        /// At a time, counted from 1970-01-01T00:00:00Z: the server sent a date, and no valid `Date` to count it from.
        case time(Duration)
    }

    /// The status.
    public let status: Int

    /// The header fields, in the order in which they were received. With `URLSession`, on Apple's systems, their order is
    /// lost, and the values of fields with equal names are joined by commas.
    public let fields: [(name: String, value: String)]

    /// The body, uncompressed.
    public internal(set) var body: [UInt8]

    /// The URL of the request.
    let url: String

    /// Makes an answer, for tests of a remote.
    public init(status: Int, fields: [(name: String, value: String)] = [], body: [UInt8] = [], url: String = "") {
        self.status = status
        self.fields = fields
        self.body = body
        self.url = url
    }

    /// The first value of a field; names are compared without regard to case (RFC 9110 §5.1).
    public func field(_ name: String) -> String? {
        self.fields.first { HTTPFieldName.isSame($0.name, name) }?.value
    }

    /// The wait that the server asks for; nil if it names none, or an invalid one. A date is counted from the `Date` of the
    /// answer, so that a difference between the clocks does not matter.
    public var retryAfter: RetryAfter? {
        switch self.field("Retry-After").flatMap({ HTTPWait(field: $0, date: self.field("Date")) }) {
        case .delay(let delay): .delay(delay)
        case .time(let time): .time(time)
        case nil: nil
        }
    }

    /// The type of the body without its parameters, in lower case; empty if none is declared.
    public var mediaType: String { self.media.name }

    /// Whether the body is a web page, as captive portals and wrong URLs return. An empty body is not one, whatever its type:
    /// some servers declare an empty one as HTML.
    public var isWebPage: Bool { !self.body.isEmpty && self.media.isWebPage(self.body) }

    /// Whether a `Location` leads to another origin than that of the request. It is not followed.
    public var leavesOrigin: Bool {
        self.field("Location").map { WebOrigin.leaves(self.url, to: $0) } ?? false
    }

    private var media: MediaType { MediaType(field: self.field("Content-Type")) }
}
