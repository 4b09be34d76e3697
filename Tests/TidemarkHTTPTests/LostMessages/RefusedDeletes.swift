import TidemarkCore
import TidemarkJSON

/// A server that refuses every delete and accepts all other edits. The reference server never does so; a script makes it.
struct RefusedDeletes: Remote {
    let capabilities = RemoteCapabilities.native

    let inner: any Remote

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        var rest = request
        rest.uploads.removeAll { $0.intent == .delete }
        var answer = try await self.inner.exchange(rest)
        var results = answer.results[...]
        answer.results = request.uploads.compactMap { upload in
            guard upload.intent == .delete else { return results.popFirst() }
            let document: JSON = ["type": "about:blank", "title": "Forbidden", "status": 403]
            let problem = ProblemDetails(status: 403, title: "Forbidden", document: document)
            return UploadResult(requestID: upload.requestID, outcome: .refused(problem))
        }
        return answer
    }
}
