internal import Synchronization
internal import TidemarkCore
internal import TidemarkGzip
internal import TidemarkMachine

/// The connections to a server, and what it is known to take.
final class HTTPSession: Sendable {
    #if canImport(Darwin)
        private typealias Transport = SystemTransport
    #else
        private typealias Transport = CurlTransport
    #endif

    private let options: HTTPRemote.Options
    private let transport: Transport
    private let takesPacked = Mutex(true)

    init(_ options: HTTPRemote.Options) {
        self.options = options
        self.transport = Transport(options)
    }

    /// Sends a request and receives the whole answer.
    func send(_ wire: WireRequest, to server: ServerAddress) async throws(RemoteFailure) -> ReceivedReply {
        let packed = self.packed(wire.body)
        let reply = try await self.receive(wire, body: packed ?? wire.body, isPacked: packed != nil, from: server)
        guard reply.status == 415, packed != nil else { return reply }
        // The server took nothing of it, since it does not understand gzip (RFC 7694): said again, plainly.
        self.takesPacked.withLock { $0 = false }
        return try await self.receive(wire, body: wire.body, isPacked: false, from: server)
    }

    /// The body as gzip; nil where that is not wanted, or does not make it smaller.
    private func packed(_ body: [UInt8]?) -> [UInt8]? {
        guard let body, let limit = self.options.packedFrom, body.count > limit, self.takesPacked.withLock({ $0 }),
            let packed = try? Gzip.compress(body), packed.count < body.count
        else { return nil }
        return packed
    }

    private func receive(
        _ wire: WireRequest, body: [UInt8]?, isPacked: Bool, from server: ServerAddress
    ) async throws(RemoteFailure) -> ReceivedReply {
        let call = HTTPCall(
            url: server.base + wire.target, headers: self.headers(wire, isPacked: isPacked, token: server.token),
            body: body, base: server.base, options: self.options)
        return try await self.transport.receive(call)
    }

    private func headers(
        _ wire: WireRequest, isPacked: Bool, token: String?
    ) -> [(name: String, value: String)] {
        // A cache on the way must ask the server, too.
        var headers = wire.headers + [(name: "Cache-Control", value: "no-cache")]
        if isPacked {
            headers.append((name: "Content-Encoding", value: "gzip"))
        }
        if let token {
            headers.append((name: "Authorization", value: "Bearer \(token)"))
        }
        return headers
    }
}
