import TidemarkServer

/// One request while it arrives: decides the next step, without a socket.
struct IncomingRequest {
    /// The next step of the connection.
    enum Reaction {
        /// Reads more.
        case read
        /// Suspends the connection until another thread has made the answer.
        case ask(ServerRequest)
        /// Answers, and then reads the next request.
        case answer(ServerResponse)
        /// Answers with this head, followed by hints as they come, until one side closes the connection.
        case stream(WatchStream, ServerResponse)
        /// Answers before the body was read; the connection can't be used again.
        case refuse(ServerResponse)
    }

    /// Bodies up to this size are read before they are refused, so that the connection stays usable.
    private static let readAnyway = 64 << 10

    private(set) var head: ServerRequest
    /// The data that is kept until the request is answered; nil before its head has arrived.
    var record: RequestRecord? {
        var record = self.begun
        record?.received = self.received
        return record
    }

    private var begun: RequestRecord?
    /// True once the head has arrived.
    private(set) var hasHead = false
    /// The number of bytes of the body that have arrived.
    private(set) var received = 0

    /// Where libmicrohttpd keeps the target.
    let place: Range<UInt>

    private let target: String
    private let isRefused: Bool
    private var body: [UInt8] = []

    /// A request with a known target.
    ///
    /// - Parameter isRefused: True if the limit of connections is reached.
    init(target: String, place: Range<UInt>, isRefused: Bool) {
        self.head = ServerRequest(method: "", target: OriginForm.of(target))
        self.target = target
        self.place = place
        self.isRefused = isRefused
    }

    /// The head arrived: refuses an ambiguous head, and a body that is too large or that no route needs, before the body is
    /// read (W10).
    mutating func receivedHead(_ head: RequestHead, core: ServerCore, settings: ListenerSettings) -> Reaction {
        self.hasHead = true
        self.head.method = head.method
        self.head.headers = head.headers
        self.begun = RequestRecord(self.head, version: head.version)
        guard !self.isRefused else { return .refuse(.tooManyConnections(settings)) }
        if let problem = HeadCheck.problem(target: self.target, head: head) {
            return .refuse(ServerResponse(problem))
        }
        // A number that is too large for an integer is a valid length nevertheless.
        let length = self.head.header("Content-Length").map { Int($0) ?? .max }
        let isChunked = self.head.header("Transfer-Encoding") != nil
        guard isChunked || (length ?? 0) > 0 else { return .read }
        if isChunked || (length ?? 0) > Self.readAnyway,
            let refusal = core.refusalBeforeBody(of: self.head)
        {
            return .refuse(refusal)
        }
        if let length, length > core.limits.body {
            return .refuse(ServerResponse(.bodyTooLarge(limit: core.limits.body)))
        }
        // More is reserved as the body arrives: a client that only announces a large body gets no memory for it.
        self.body.reserveCapacity(min(length ?? 0, Self.readAnyway))
        return .read
    }

    /// A part of the body arrived.
    mutating func received(_ bytes: some Collection<UInt8>, core: ServerCore) -> Reaction {
        self.received += bytes.count
        guard self.received <= core.limits.body else {
            self.body = []
            return .refuse(ServerResponse(.bodyTooLarge(limit: core.limits.body)))
        }
        self.body.append(contentsOf: bytes)
        return .read
    }

    /// The whole body arrived: returns the complete request, its body still compressed if it was.
    consuming func ended() -> ServerRequest {
        var request = self.head
        request.body = self.body
        return request
    }
}

/// The form of a target in a request to a server itself: path and query (RFC 9112 §3.2.1).
private enum OriginForm {
    /// The path and query of a target. From the absolute form, as sent to a proxy, the scheme and host are removed: a server
    /// must accept it too, and its host takes precedence over the field (RFC 9112 §3.2.2).
    static func of(_ target: String) -> String {
        guard let rest = Self.afterScheme(target) else { return target }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        // An http URL has a host (RFC 9110 §4.2.1); without one the target is invalid.
        guard !authority.isEmpty else { return target }
        let place = String(decoding: rest.dropFirst(authority.count), as: UTF8.self)
        return place.utf8.first == UInt8(ascii: "/") ? place : "/\(place)"
    }

    /// The text after `http://` or `https://`, in any case; nil if the target does not begin with either.
    private static func afterScheme(_ target: String) -> Substring.UTF8View? {
        for scheme in ["http://", "https://"] where target.utf8.count > scheme.utf8.count {
            let start = target.utf8.prefix(scheme.utf8.count)
            if String(decoding: start, as: UTF8.self).lowercased() == scheme {
                return target.utf8.dropFirst(scheme.utf8.count)
            }
        }
        return nil
    }
}
