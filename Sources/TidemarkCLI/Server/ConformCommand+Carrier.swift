import Tidemark
import TidemarkAdapters
import TidemarkHTTPClient
import TidemarkTesting

/// Sends the requests of the checks over HTTP, as `HTTPRemote` does, and passes each answer on as it came.
struct ConformCarrier: ConformanceCarrier {
    let url: String
    let hasToken: Bool
    private let packed: HTTPClient
    private let plain: HTTPClient
    private let remote: HTTPRemote

    /// The additional header fields of each request.
    private let fields: [(name: String, value: String)]

    init(url: String, token: String?, options: HTTPRemote.Options) throws(TidemarkError) {
        self.remote = try HTTPRemote(url: url, token: token, options: options)
        var limits = HTTPClient.Limits(
            silence: options.silence, whole: options.exchange, answerSize: options.answerLimit,
            packedFrom: options.packedFrom)
        do throws(HTTPFailure) {
            let auth = token.map { HTTPAuth.bearer($0) } ?? .none
            self.packed = try HTTPClient(url: url, auth: auth, limits: limits, certificates: options.certificates)
            limits.packedFrom = nil
            self.plain = try HTTPClient(url: url, auth: auth, limits: limits, certificates: options.certificates)
        } catch {
            throw TidemarkError(.invalidURL, error.message)
        }
        self.url = self.plain.url
        self.hasToken = token != nil
        self.fields = options.fields
    }

    func send(_ request: ConformanceRequest) async throws(RemoteFailure) -> ConformanceReply {
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            answer = try await self.client(for: request).send(
                HTTPRequest(request.method, request.target, fields: request.fields + self.fields, body: request.body))
        } catch {
            throw RemoteFailure(error)
        }
        return ConformanceReply(status: answer.status, fields: answer.fields, body: answer.body)
    }

    private func client(for request: ConformanceRequest) throws(HTTPFailure) -> HTTPClient {
        let client = request.isPacked ? self.packed : self.plain
        switch request.credentials {
        case .own: return client
        case .none: return try client.with(auth: .none)
        case .wrong: return try client.with(auth: .bearer("wrong"))
        }
    }

    func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        try await self.remote.hints(for: collections, onHint: onHint)
    }
}
