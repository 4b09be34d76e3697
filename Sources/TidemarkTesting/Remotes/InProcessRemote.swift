public import TidemarkCore
import TidemarkServer
import TidemarkWire

/// Sends requests to a server in this process, encoded and decoded as over a real connection.
///
/// No message is lost, late or repeated; use a ``PausedNetwork`` for that.
public struct InProcessRemote: Remote {
    /// The server.
    public let server: InProcessServer

    /// The bearer token of its requests; nil for none.
    public var token: String?

    /// Makes a remote.
    public init(_ server: InProcessServer, token: String? = nil) {
        self.server = server
        self.token = token
    }

    /// Every rule of the wire is kept: a Tidemark server has all the properties.
    public var capabilities: RemoteCapabilities { .native }

    /// Carries out one exchange at once.
    public func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        try self.exchangeNow(request)
    }

    /// Carries out an exchange without suspending, for a test that runs the engine on one thread.
    public func exchangeNow(_ request: ExchangeRequest) throws(RemoteFailure) -> ExchangeAnswer {
        let wire = WireRequest(request)
        let response = self.server.handle(self.request(wire.method, wire.target, wire.headers, body: wire.body ?? []))
        return try WireAnswer.decode(
            status: response.status, header: { response.header($0) }, body: response.body, request: request)
    }

    /// A request as it would arrive over a connection.
    func request(
        _ method: String, _ target: String, _ fields: [(name: String, value: String)], body: [UInt8] = []
    ) -> ServerRequest {
        var headers = fields.map { ($0.name, $0.value) }
        if let token = self.token {
            headers.append(("Authorization", "Bearer \(token)"))
        }
        return ServerRequest(method: method, target: "/v1\(target)", headers: headers, body: body)
    }
}
