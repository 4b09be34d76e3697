extension World {
    /// One step that can be taken.
    package enum Move: Hashable, Sendable {
        /// The two contents with which the app or the other writer creates a record.
        package enum Content: String, CaseIterable, Sendable {
            case first, second
        }

        /// The edits of the app.
        package enum Edit: String, CaseIterable, Sendable {
            case a, b, back, nothing, poison, count
        }

        /// The edits of the other writer.
        package enum OthersEdit: String, CaseIterable, Sendable {
            case a, b, same, count
        }

        /// The decisions of a tactic.
        package enum Decision: String, CaseIterable, Sendable {
            case server, client, mix, serversContent, ask
        }

        case create(Content)
        case createAsConfirmed
        case edit(Edit)
        case delete
        case release
        case resign
        /// The policy for refusals discards the held change.
        case giveUp
        case hold

        case post
        case get
        case deliver
        case deliverTwice
        case deliverRefused
        case deliverUnread
        case deliverMissing
        case receive
        case receiveRowsOnly
        case timeOut
        case crash
        case deliverGhost(Int)
        case dropGhost(Int)

        case decide(Decision)
        case decideLate

        case otherCreates(Content)
        case otherEdits(OthersEdit)
        case otherDeletes
        case purge
        case purgeOfAnother
        case restore
    }
}

extension World.Move: CustomStringConvertible {
    /// The step in words.
    package var description: String {
        switch self {
        case .create(let content): "the app creates the record (\(content))"
        case .createAsConfirmed: "the app creates the record with its former content"
        case .edit(let edit): "the app edits: \(edit)"
        case .delete: "the app deletes the record"
        case .release: "the record is retried"
        case .resign: "the change is discarded"
        case .giveUp: "the policy discards the change"
        case .hold: "the record is held"
        case .post: "POST"
        case .get: "GET"
        case .deliver: "the request arrives"
        case .deliverTwice: "the request arrives, and a copy of it arrives later"
        case .deliverRefused: "the request arrives and is refused"
        case .deliverUnread: "the request arrives and is refused as a whole"
        case .deliverMissing: "the request arrives, and the server answers 404"
        case .receive: "the answer arrives"
        case .receiveRowsOnly: "the answer arrives without its result"
        case .timeOut: "the client stops waiting for the answer"
        case .crash: "the process is killed and starts again"
        case .deliverGhost(let index): "request \(index), whose answer no client awaits, arrives"
        case .dropGhost(let index): "request \(index), whose answer no client awaits, is lost"
        case .decide(let decision): "the tactic decides: \(decision)"
        case .decideLate: "the user decides an earlier version of the conflict"
        case .otherCreates(let content): "the other device creates the record (\(content))"
        case .otherEdits(let edit): "the other device edits: \(edit)"
        case .otherDeletes: "the other device deletes the record"
        case .purge: "the server purges its tombstone"
        case .purgeOfAnother: "the server purges the tombstone of another record"
        case .restore: "the server is restored from a backup"
        }
    }
}
