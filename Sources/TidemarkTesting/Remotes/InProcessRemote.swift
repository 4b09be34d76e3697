public import TidemarkCore
import TidemarkServer
import TidemarkWire

/// Asks a server in this process, with the very bytes that would go over a connection.
///
/// Nothing is lost, late or repeated here; put it into a ``HeldNetwork`` for that.
public struct InProcessRemote: Remote {
    /// The server that it asks.
    public let server: InProcessServer

    /// The bearer token that it shows; nil for none.
    public var token: String?

    /// Makes a remote.
    public init(_ server: InProcessServer, token: String? = nil) {
        self.server = server
        self.token = token
    }

    /// Carries out one exchange at once.
    public func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        try self.exchangeNow(request)
    }

    /// The same without suspending, for who runs the engine's core on one thread.
    public func exchangeNow(_ request: ExchangeRequest) throws(RemoteFailure) -> ExchangeAnswer {
        let wire = WireRequest(request)
        var headers = wire.headers.map { ($0.name, $0.value) }
        if let token = self.token {
            headers.append(("Authorization", "Bearer \(token)"))
        }
        let response = self.server.handle(
            ServerRequest(method: wire.method, target: "/v1\(wire.target)", headers: headers, body: wire.body ?? []))
        return try WireAnswer.decode(
            status: response.status, header: { response.header($0) }, body: response.body, request: request)
    }
}
