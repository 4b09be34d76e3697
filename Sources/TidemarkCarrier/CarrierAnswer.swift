import TidemarkGzip
import TidemarkHTTPFields

/// A whole answer, whatever its status.
public struct CarrierAnswer: Sendable {
    /// When a server wants to be asked again (RFC 9110 §10.2.3).
    public enum RetryAfter: Hashable, Sendable {
        /// After some time: at most a day, since a server that says more has made a mistake.
        case delay(Duration)

        /// At a time, counted from 1970-01-01T00:00:00Z.
        case time(Duration)
    }

    /// The status.
    public let status: Int

    /// The header fields, in the order in which they came.
    public let fields: [(name: String, value: String)]

    /// The body, unpacked.
    public internal(set) var body: [UInt8]

    /// What was asked for.
    let url: String

    init(status: Int, fields: [(name: String, value: String)], body: [UInt8] = [], url: String) {
        self.status = status
        self.fields = fields
        self.body = body
        self.url = url
    }

    /// The first value of a field; names are compared without regard to case (RFC 9110 §5.1).
    public func field(_ name: String) -> String? {
        self.fields.first { HTTPFieldName.isSame($0.name, name) }?.value
    }

    /// When the server wants to be asked again; nil where it does not say, or says what can't be understood.
    public var retryAfter: RetryAfter? {
        switch self.field("Retry-After").flatMap(HTTPWait.init(field:)) {
        case .delay(let delay): .delay(delay)
        case .time(let time): .time(time)
        case nil: nil
        }
    }

    /// The type of the body without its parameters, in small letters; empty where nothing is said.
    public var mediaType: String { self.media.name }

    /// Whether the body is a web page: what captive portals and wrong URLs answer. Where there is no body it is none, whatever
    /// its type: some servers call an empty one HTML.
    public var isWebPage: Bool { !self.body.isEmpty && self.media.isWebPage(self.body) }

    /// Whether a `Location` leads to another origin than the one that was asked. It is not followed.
    public var leavesOrigin: Bool {
        self.field("Location").map { WebOrigin.leaves(self.url, to: $0) } ?? false
    }

    private var media: MediaType { MediaType(field: self.field("Content-Type")) }

    /// The same with its body unpacked, which must be whole: an answer without the end of its gzip has broken off,
    /// however well its JSON ends (RFC 1952 §2.3).
    func unpacked(for call: HTTPCall) throws(CarrierFailure) -> CarrierAnswer {
        guard let coding = self.field("Content-Encoding")?.lowercased(), !self.body.isEmpty else { return self }
        switch coding {
        case "identity", "": return self
        case "gzip", "x-gzip": break
        default: throw .notAsked(call.base, coding)
        }
        var answer = self
        do throws(GzipError) {
            answer.body = try Gzip.decompress(self.body, limit: call.limits.answerSize)
        } catch {
            throw error.code == .tooLarge
                ? .tooLarge(call.base, call.limits.answerSize) : .brokenOff(call.base, error.message)
        }
        return answer
    }
}
