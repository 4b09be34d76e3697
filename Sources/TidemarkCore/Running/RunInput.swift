package import TidemarkJSON
package import TidemarkMachine

/// An input of the run loop.
package enum RunInput: Sendable {
    /// The app changed records of a collection; with the times of the first and the last change.
    case edited(CodePointString, first: Duration, last: Duration)

    /// A sync of a collection began, whichever caller started it.
    case began(CodePointString)

    /// The sync ended.
    case ended(CodePointString, RunEnd)

    /// The task of a sync that the loop started has ended.
    case returned(CodePointString)

    /// The app uses a collection for the first time.
    case named(CodePointString)

    /// A collection was removed from the store.
    case forgotten(CodePointString)

    /// An exchange was carried out.
    case spent(requests: Int, bytes: Int)

    /// Credentials were renewed, or paused collections were resumed.
    case renewed

    /// The client was suspended, or is awake again: then changes meanwhile were not noticed.
    case suspended(Bool)

    /// The app reports whether there is a network.
    case connected(Bool)

    /// Events were received on the connection with this number.
    case heard(Int, HeardHints)

    /// The connection with this number ended.
    case listened(Int, Result<RemoteHint.End, RemoteFailure>)

    /// The timer of the loop fired.
    case alarm(Duration)
}

extension RunInput {
    /// Returns the cost of an exchange: its requests, and the bytes of the records in them. A failed one counts as one request.
    package static func spent(on request: ExchangeRequest, _ outcome: Result<ExchangeAnswer, RemoteFailure>) -> RunInput
    {
        let sent = request.uploads.reduce(0) { $0 + $1.encodedEdit.count }
        switch outcome {
        case .success(let answer): return .spent(requests: answer.requests, bytes: sent + answer.page.bytes.count)
        case .failure: return .spent(requests: 1, bytes: sent)
        }
    }

    /// Returns the input for a call of `sync` that began a sync; nil if the call joined a running one.
    package static func asked(for collection: CodePointString, _ effects: [SyncEffect]) -> RunInput? {
        for effect in effects {
            switch effect {
            case .send, .finish: return .began(collection)
            case .wake, .tell, .tellAll, .settle, .progress, .leftToUser, .released: continue
            }
        }
        return nil
    }
}
