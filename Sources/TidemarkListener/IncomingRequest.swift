import TidemarkServer

/// One request while it comes in: what is to be done next, decided without a socket.
struct IncomingRequest {
    /// What the connection does next.
    enum Reaction {
        /// Reads on.
        case read
        /// Lets the connection rest until the answer is there, which somebody else makes.
        case ask(ServerRequest)
        /// Answers, and reads on after it.
        case answer(ServerResponse)
        /// Answers with this head, and then with hints as they come, until one side hangs up.
        case stream(WatchStream, ServerResponse)
        /// Answers before the body was read; the connection can't be used again.
        case refuse(ServerResponse)
    }

    /// Bodies up to this size are read before they are refused, so that the connection stays usable.
    private static let readAnyway = 64 << 10

    /// The head of the request.
    private(set) var head: ServerRequest
    /// What is remembered of it until it is answered; nil before its head has come in.
    var record: RequestRecord? {
        var record = self.begun
        record?.received = self.received
        return record
    }

    private var begun: RequestRecord?
    /// True when the head has come in.
    private(set) var hasHead = false
    /// True while a body comes in whose end only its chunks tell.
    var isInChunks: Bool { self.hasHead && self.head.header("Transfer-Encoding") != nil }
    /// How many bytes of the body have come in.
    private(set) var received = 0

    /// How many bytes it had when it was read to its end; nil where its chunks had some more, or its head is not known.
    var size: Int? { self.headSize > 0 && !self.isInChunks ? self.headSize + self.received : nil }

    /// Where the target is in the memory of the library.
    let place: Range<UInt>

    private var headSize = 0
    private let target: String
    private let isTurnedAway: Bool
    private var body: [UInt8] = []

    /// A request of which only the target is known.
    ///
    /// - Parameter isTurnedAway: True where there is no place for one more connection.
    init(target: String, place: Range<UInt>, isTurnedAway: Bool) {
        self.head = ServerRequest(method: "", target: OriginForm.of(target))
        self.target = target
        self.place = place
        self.isTurnedAway = isTurnedAway
    }

    /// The head came in: refuses what can be understood in two ways, and a body that is too large, or for nothing, before
    /// it is read (SPEC W10).
    mutating func receivedHead(_ head: RequestHead, core: ServerCore, settings: ListenerSettings) -> Reaction {
        self.hasHead = true
        self.headSize = head.size
        self.head.method = head.method
        self.head.headers = head.headers
        self.begun = RequestRecord(self.head)
        guard !self.isTurnedAway else { return .refuse(.tooManyConnections(settings)) }
        if let problem = HeadCheck.problem(target: self.target, head: head) {
            return .refuse(ServerResponse(problem))
        }
        // A number of digits that no whole number has is a length all the same.
        let length = self.head.header("Content-Length").map { Int($0) ?? .max }
        let isChunked = self.head.header("Transfer-Encoding") != nil
        guard isChunked || (length ?? 0) > 0 else { return .read }
        // Of a head that the library refuses itself the method is not at hand, and so nobody knows what it would be asked.
        if !head.method.isEmpty, isChunked || (length ?? 0) > Self.readAnyway,
            let refusal = core.refusalBeforeBody(of: self.head)
        {
            return .refuse(refusal)
        }
        if let length, length > core.limits.body {
            return .refuse(ServerResponse(.bodyTooLarge(limit: core.limits.body)))
        }
        // More is reserved as it comes: who only says how much it will be gets no memory for it.
        self.body.reserveCapacity(min(length ?? 0, Self.readAnyway))
        return .read
    }

    /// A part of the body came in.
    mutating func received(_ bytes: some Collection<UInt8>, core: ServerCore) -> Reaction {
        self.received += bytes.count
        guard self.received <= core.limits.body else {
            self.body = []
            return .refuse(ServerResponse(.bodyTooLarge(limit: core.limits.body)))
        }
        self.body.append(contentsOf: bytes)
        return .read
    }

    /// All of the body came in: the request as a whole, the body still packed where it came packed.
    consuming func ended() -> ServerRequest {
        var request = self.head
        request.body = self.body
        return request
    }
}

/// The form of a target in which a server is asked for what is its own: path and query (RFC 9112 §3.2.1).
private enum OriginForm {
    /// The path and query of a target. One in absolute form, as a proxy is sent it, is stripped of scheme and host: a
    /// server accepts it too, and the host that it names goes before the field (RFC 9112 §3.2.2).
    static func of(_ target: String) -> String {
        guard let rest = Self.afterScheme(target) else { return target }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        // A URL of http has a host (RFC 9110 §4.2.1); without one it names nothing, here or elsewhere.
        guard !authority.isEmpty else { return target }
        let place = String(decoding: rest.dropFirst(authority.count), as: UTF8.self)
        return place.utf8.first == UInt8(ascii: "/") ? place : "/\(place)"
    }

    /// What stands behind `http://` or `https://`, in any spelling; nil where neither stands there.
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
