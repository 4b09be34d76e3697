import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The losses of a transition of a record.
struct Losses {
    /// The values, with the side that had them.
    let values: [Decision.Loss]

    /// The version of the server's row in the decision; nil if there was none.
    let version: String?

    /// Compares the sides of the decision with its outcome.
    ///
    /// - Parameters:
    ///   - before: The machine before the transition.
    ///   - after: The machine after it.
    ///   - isMerge: Whether the outcome is a merged content, and not one of the sides.
    ///   - merge: The merge of the conflict that the transition settles; nil if there was none, or if it was not made.
    init(
        of step: Record.Machine.Step, from before: Record.Machine, to after: Record.Machine, isMerge: Bool,
        merge: RecordMerge?, _ algebra: JSONChanges
    ) throws(TidemarkError) {
        let server = step.isFollowedByRow ? before.confirmed : before.seen ?? before.confirmed
        let sides =
            if let merge { merge.sides } else {
                JSONMerge.Sides(
                    base: try algebra.compared(before.mergeBase), server: try algebra.compared(server.content),
                    client: try algebra.compared(try before.view(algebra)))
            }
        let decision = Decision(
            sides: sides, final: try algebra.compared(try after.view(algebra)), fields: algebra.fields)
        self.values =
            isMerge && decision.isMergeOfFields
            ? decision.losses(of: merge?.result ?? algebra.merge(sides)) : decision.lossesOfChoice
        self.version = (before.seen ?? before.confirmed).version
    }

    /// Compares a draft, and the record that it was saved over, with the stored result.
    ///
    /// - Parameters:
    ///   - merge: The stored record as the server's side, the draft as the client's.
    ///   - machine: The record before the draft: a stored value that differs from its base was changed here.
    init(
        of merge: RecordMerge, to final: JSON, over machine: Record.Machine, _ algebra: JSONChanges
    ) throws(TidemarkError) {
        var known = FieldPlaces(algebra.fields, in: try algebra.compared(machine.mergeBase))
        let decision = Decision(sides: merge.sides, final: final, fields: algebra.fields)
        self.values = decision.losses(of: merge.result).map { loss in
            guard loss.side == .server, known.value(at: loss.path) != loss.value else { return loss }
            return Decision.Loss(side: .client, path: loss.path, value: loss.value)
        }
        self.version = machine.confirmed.version
    }
}

extension RecordMachine.Step {
    /// Whether a pending server state is applied next: none of its values has lost yet.
    fileprivate var isFollowedByRow: Bool {
        switch self.next {
        case .feedRow, .conflictRow: true
        case .create, .edit, .delete, .retry, .resign, .giveUp, .send, .hold, .answered, .lost, .historyLost,
            .verdict, nil:
            false
        }
    }
}
