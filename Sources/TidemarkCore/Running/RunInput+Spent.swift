extension RunInput {
    /// What an exchange cost: its requests, and the bytes of the records in them. One that failed is counted as one request.
    static func spent(on request: ExchangeRequest, _ outcome: Result<ExchangeAnswer, RemoteFailure>) -> RunInput {
        let sent = request.uploads.reduce(0) { $0 + $1.frozen.count }
        switch outcome {
        case .success(let answer): return .spent(requests: answer.requests, bytes: sent + answer.page.bytes.count)
        case .failure: return .spent(requests: 1, bytes: sent)
        }
    }
}
