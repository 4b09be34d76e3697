package import TidemarkJSON

extension RunInput {
    /// What an exchange cost: its requests, and the bytes of the records in them. One that failed is counted as one request.
    package static func spent(on request: ExchangeRequest, _ outcome: Result<ExchangeAnswer, RemoteFailure>) -> RunInput
    {
        let sent = request.uploads.reduce(0) { $0 + $1.frozen.count }
        switch outcome {
        case .success(let answer): return .spent(requests: answer.requests, bytes: sent + answer.page.bytes.count)
        case .failure: return .spent(requests: 1, bytes: sent)
        }
    }

    /// What the engine has made of a call of `sync`, where it began one; nil where one goes on already, which is joined.
    package static func asked(for collection: CodePointString, _ effects: [SyncEffect]) -> RunInput? {
        for effect in effects {
            switch effect {
            case .send, .finish: return .began(collection)
            case .wake, .tell, .tellAll, .settle, .progress: continue
            }
        }
        return nil
    }
}
