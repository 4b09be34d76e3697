internal import Foundation
internal import Synchronization
internal import TidemarkCore
internal import TidemarkGzip
internal import TidemarkMachine

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The connections to a server: one `URLSession` without cache, cookies or stored passwords; on Linux only for TLS, see
/// ``PlainExchange``.
final class HTTPSession: Sendable {
    private let options: HTTPRemote.Options
    private let session: URLSession
    private let receiver: HTTPReceiver
    private let takesPacked = Mutex(true)

    init(_ options: HTTPRemote.Options) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = options.silence / .seconds(1)
        let receiver = HTTPReceiver()
        self.options = options
        self.receiver = receiver
        self.session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
    }

    deinit {
        // A session keeps itself and its delegate alive until it is told that it is not needed any more.
        self.session.finishTasksAndInvalidate()
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
        let text = server.base + wire.target
        guard let url = URL(string: text) else {
            throw RemoteFailure(.protocol, "“\(text)” is no URL. Check the URL of the server.")
        }
        let headers = self.headers(wire, isPacked: isPacked, token: server.token)
        #if canImport(FoundationNetworking)
            if let plain = PlainRequest(wire.method, url, headers: headers, body: body) {
                return try await PlainExchange(plain, base: server.base, options: self.options).run()
            }
        #endif
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        request.timeoutInterval = self.options.silence / .seconds(1)
        request.httpMethod = wire.method
        request.httpBody = body.map { Data($0) }
        for (name, value) in headers {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return try await self.receiver.receive(
            self.session.dataTask(with: request), base: server.base, options: self.options)
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
