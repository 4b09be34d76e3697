package import TidemarkJSON
package import TidemarkMachine

/// Something that the run loop is told.
package enum RunInput: Sendable {
    /// The app changed something of a collection: first at one time, and last at another.
    case edited(CodePointString, first: Duration, last: Duration)

    /// A sync of a collection began, whoever asked for it.
    case began(CodePointString)

    /// It ended.
    case ended(CodePointString, RunEnd)

    /// A sync that the loop started has let its task go.
    case returned(CodePointString)

    /// The app uses a collection for the first time.
    case named(CodePointString)

    /// A collection left the store.
    case forgotten(CodePointString)

    /// An exchange was carried out.
    case spent(requests: Int, bytes: Int)

    /// Credentials were renewed, or what was paused may go on.
    case renewed

    /// The app says whether there is a network.
    case connected(Bool)

    /// Something was heard by one who listens to hints.
    case heard(Int, HeardHints)

    /// A listening ended.
    case listened(Int, Result<HintsEnd, RemoteFailure>)

    /// A time came that the loop asked for.
    case alarm(Duration)
}

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
