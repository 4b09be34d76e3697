import TidemarkHTTPFields
import TidemarkServer

/// The data of a request that is kept until its answer, for metrics and for a log.
struct RequestRecord: Sendable {
    let began = ContinuousClock.now
    let kind: RequestKind
    let method: String
    /// True if only its chunks show the end of its body.
    let isInChunks: Bool
    /// Whether the answer may be in chunks (RFC 9112 §7.1).
    let acceptsChunks: Bool
    /// The id from a proxy; nil if there is none, or an unsafe one.
    private let givenID: String?
    var received = 0

    /// - Parameters:
    ///   - request: Its head.
    ///   - version: The version of HTTP in its first line.
    init(_ request: ServerRequest, version: String) {
        self.acceptsChunks = version != "HTTP/1.0"
        self.kind = RequestKind(request)
        self.method = request.method
        self.isInChunks = request.header("Transfer-Encoding") != nil
        self.givenID = request.header(Self.idField).flatMap { Self.isSafe($0) ? $0 : nil }
    }

    /// The id of the request: the given one, or a new one on each call.
    func id() -> String { self.givenID ?? Self.makeID() }

    /// The field with the id, from and to proxies.
    static let idField = "X-Request-Id"

    /// Whether an id may be copied into an answer and a log.
    private static func isSafe(_ id: String) -> Bool {
        (1...128).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                case _: false
                }
            }
    }

    private static func makeID() -> String {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
