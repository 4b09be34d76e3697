package import TidemarkCore
import TidemarkJSON
import TidemarkWire

/// A request of HTTP that a check sends as it is.
package struct ConformanceRequest: Sendable {
    /// The credentials of a request.
    package enum Credentials: Sendable {
        /// The token of the account of the checks.
        case own

        /// No token.
        case none

        /// A token that the server does not know.
        case wrong
    }

    /// `GET` or `POST`.
    package var method: String

    /// Path and query, which are appended to the URL of the server.
    package var target: String

    /// The header fields, besides those that the carrier adds.
    package var fields: [(name: String, value: String)]

    /// The body; nil for none.
    package var body: [UInt8]?

    package var credentials = Credentials.own

    /// Whether a large body is sent as gzip, as a client sends it.
    package var isPacked = false

    /// Makes a request.
    init(_ method: String, _ target: String, body: [UInt8]? = nil, credentials: Credentials = .own) {
        self.method = method
        self.target = target
        self.fields = [(name: "Accept", value: "application/json, application/problem+json")]
        if body != nil { self.fields.append((name: "Content-Type", value: "application/json")) }
        self.body = body
        self.credentials = credentials
    }

    /// The request for the list of collections, which declares version and level.
    package static let list = ConformanceRequest("GET", "/")

    init(_ wire: WireRequest) {
        self.method = wire.method
        self.target = wire.target
        self.fields = wire.headers
        self.body = wire.body
        self.isPacked = true
    }
}

/// An answer of HTTP.
package struct ConformanceReply: Sendable {
    package var status: Int

    /// The header fields.
    package var fields: [(name: String, value: String)]

    /// The body, uncompressed.
    package var body: [UInt8]

    /// Makes an answer.
    package init(status: Int, fields: [(name: String, value: String)], body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The first value of a field; names are compared without regard to case.
    func field(_ name: String) -> String? {
        let name = name.lowercased()
        return self.fields.first { $0.name.lowercased() == name }?.value
    }

    /// The type of the body, without its parameters.
    var mediaType: String {
        let field = self.field("Content-Type") ?? ""
        let type = field.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        return String(decoding: Array(type), as: UTF8.self).lowercased()
    }

    /// The body as JSON; nil if it is not JSON.
    var json: JSON? { try? JSON(parsing: self.body) }
}

/// Sends requests of HTTP to a server of the wire (Contract §5).
package protocol ConformanceCarrier: Sendable {
    /// The URL that targets are appended to, for the commands in messages.
    var url: String { get }

    /// Whether the server was given a token, so that it can refuse another one.
    var hasToken: Bool { get }

    /// Sends a request once.
    func send(_ request: ConformanceRequest) async throws(RemoteFailure) -> ConformanceReply

    /// Listens to the hints of the server, as a remote does.
    func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End
}
