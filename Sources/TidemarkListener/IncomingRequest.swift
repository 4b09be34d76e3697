internal import TidemarkServer

/// One request while it comes in: what is to be done next, decided without a socket.
struct IncomingRequest {
    /// What the connection does next.
    enum Reaction {
        /// Reads on.
        case read
        /// Answers, and reads on after it.
        case answer(ServerResponse)
        /// Answers before the body was read; the connection cannot be used again.
        case refuse(ServerResponse)
    }

    /// Bodies up to this size are read before they are refused, so that the connection stays usable.
    private static let readAnyway = 64 << 10

    /// The head of the request.
    private(set) var head: ServerRequest
    /// True when the head has come in.
    private(set) var hasHead = false
    /// How many bytes of the body have come in.
    private(set) var received = 0

    private var body: [UInt8] = []

    /// A request of which only the target is known.
    init(target: String) {
        self.head = ServerRequest(method: "", target: target)
    }

    /// The head came in: refuses a body that is too large, or for nothing, before it is read (SPEC W10).
    mutating func receivedHead(
        method: String, headers: [(String, String)], core: ServerCore
    ) -> Reaction {
        self.hasHead = true
        self.head.method = method
        self.head.headers = headers
        let length = self.head.header("Content-Length").flatMap { Int($0) }
        let isChunked = self.head.header("Transfer-Encoding") != nil
        guard isChunked || (length ?? 0) > 0 else { return .read }
        if isChunked || (length ?? 0) > Self.readAnyway, let refusal = core.refusalBeforeBody(of: self.head) {
            return .refuse(refusal)
        }
        if let length, length > core.limits.body {
            return .refuse(ServerResponse(.bodyTooLarge(limit: core.limits.body)))
        }
        self.body.reserveCapacity(min(length ?? 0, core.limits.body))
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

    /// All of the body came in: the answer, packed if the client takes it so.
    func ended(core: ServerCore, settings: ListenerSettings) -> ServerResponse {
        var response = self.answer(core: core)
        ContentCoding.pack(&response, for: self.head, from: settings.packedFrom)
        return response
    }

    private func answer(core: ServerCore) -> ServerResponse {
        var request = self.head
        do throws(Problem) {
            request.body = try ContentCoding.unpack(
                self.body, coding: request.header("Content-Encoding"), limit: core.limits.body)
        } catch {
            return core.refusalBeforeBody(of: self.head) ?? ServerResponse(error)
        }
        return core.handle(request)
    }
}
