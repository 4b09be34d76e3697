extension World {
    /// One step that can be taken.
    package enum Move: Hashable, Sendable {
        /// Two contents that the app, or the other writer, makes a record with.
        package enum Content: String, CaseIterable, Sendable {
            case first, second
        }

        /// What the app changes.
        package enum Edit: String, CaseIterable, Sendable {
            case a, b, back, nothing, poison, count
        }

        /// What the other writer changes.
        package enum OthersEdit: String, CaseIterable, Sendable {
            case a, b, same, count
        }

        /// What a tactic decides.
        package enum Decision: String, CaseIterable, Sendable {
            case server, client, mix, serversContent, ask
        }

        case create(Content)
        case createAsConfirmed
        case edit(Edit)
        case delete
        case release
        case resign
        /// The policy for refusals gives up what is held.
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
    /// What happens, in words.
    package var description: String {
        switch self {
        case .create(let content): "the app makes the record (\(content))"
        case .createAsConfirmed: "the app makes the record as it was"
        case .edit(let edit): "the app edits: \(edit)"
        case .delete: "the app deletes the record"
        case .release: "the record is released"
        case .resign: "the change is given up"
        case .giveUp: "the policy gives the change up"
        case .hold: "the record is held"
        case .post: "POST"
        case .get: "GET"
        case .deliver: "the request arrives"
        case .deliverTwice: "the request arrives, and once more later"
        case .deliverRefused: "the request arrives and is refused"
        case .deliverUnread: "the request arrives and is refused as a whole"
        case .deliverMissing: "the request arrives, and the server answers 404"
        case .receive: "the answer arrives"
        case .receiveRowsOnly: "the answer arrives without its result"
        case .timeOut: "no answer is waited for any longer"
        case .crash: "the process is killed and starts again"
        case .deliverGhost(let index): "request \(index), which no one waits for, arrives"
        case .dropGhost(let index): "request \(index), which no one waits for, gets lost"
        case .decide(let decision): "the tactic decides: \(decision)"
        case .decideLate: "a person decides what was asked before"
        case .otherCreates(let content): "the other device makes the record (\(content))"
        case .otherEdits(let edit): "the other device edits: \(edit)"
        case .otherDeletes: "the other device deletes the record"
        case .purge: "the server purges its tombstone"
        case .purgeOfAnother: "the server purges the tombstone of another record"
        case .restore: "the server is put back to a backup"
        }
    }
}
