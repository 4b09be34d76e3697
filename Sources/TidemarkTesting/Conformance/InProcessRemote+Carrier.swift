package import TidemarkCore
import TidemarkServer

extension InProcessRemote: ConformanceCarrier {
    package var url: String { "http://127.0.0.1/v1" }

    package var hasToken: Bool { self.token != nil }

    /// Sends a request to the server in this process.
    package func send(_ request: ConformanceRequest) async throws(RemoteFailure) -> ConformanceReply {
        var sender = self
        switch request.credentials {
        case .own: break
        case .none: sender.token = nil
        case .wrong: sender.token = "wrong"
        }
        let response = self.server.handle(
            sender.request(request.method, request.target, request.fields, body: request.body ?? []))
        return ConformanceReply(
            status: response.status, fields: response.headers.map { (name: $0.0, value: $0.1) }, body: response.body)
    }
}
