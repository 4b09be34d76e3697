import TidemarkHTTPFields
import Synchronization
import TidemarkGzip

/// The connections to a server, and whether it accepts compressed bodies.
final class HTTPSession: Sendable {
    #if canImport(Darwin)
        private typealias Transport = SystemTransport
    #else
        private typealias Transport = CurlTransport
    #endif

    private let transport: Transport
    private let takesPacked = Mutex(true)

    init(
        _ limits: HTTPClient.Limits, _ trusted: TrustedCertificates?, _ pinned: PinnedKeys?, _ setup: SessionSetup
    ) {
        #if canImport(Darwin)
            self.transport = Transport(limits, trusted, pinned, setup)
        #else
            // There each call has them.
            self.transport = Transport(limits)
        #endif
    }

    /// Sends a request and receives the whole answer.
    func send(_ plain: HTTPCall) async throws(HTTPFailure) -> HTTPAnswer {
        var plain = plain
        // A cache between client and server must send the request to the server, too.
        plain.fields.append((name: "Cache-Control", value: "no-cache"))
        guard let packed = self.packed(plain) else { return try await self.transport.receive(plain) }
        let answer = try await self.transport.receive(packed)
        guard answer.status == 415 else { return answer }
        // The server did nothing with it, since it does not support gzip (RFC 7694): sent again, uncompressed.
        self.takesPacked.withLock { $0 = false }
        return try await self.transport.receive(plain)
    }

    /// The call with its body as gzip; nil if that is not wanted, or does not make the body smaller.
    private func packed(_ call: HTTPCall) -> HTTPCall? {
        guard let body = call.body, let limit = call.limits.packedFrom, body.count > limit,
            self.takesPacked.withLock({ $0 }),
            !call.fields.contains(where: { HTTPFieldName.isSame($0.name, "Content-Encoding") }),
            let bytes = try? Gzip.compress(body), bytes.count < body.count
        else { return nil }
        var packed = call
        packed.fields.append((name: "Content-Encoding", value: "gzip"))
        packed.body = bytes
        return packed
    }
}
