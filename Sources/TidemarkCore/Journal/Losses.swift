import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// What a transition of a record gave up.
struct Losses {
    /// The values, with the side that had them.
    let values: [DecisionSides.Loss]

    /// The version of the server's row that was decided about; nil when there was none.
    let stamp: String?

    /// Compares the sides that were decided about with what came of them.
    ///
    /// - Parameters:
    ///   - before: The machine before the transition.
    ///   - after: The machine after it.
    ///   - isMerge: Whether the outcome is a content made of both sides, and not one of them.
    init(
        of step: Record.Machine.Step, from before: Record.Machine, to after: Record.Machine, isMerge: Bool,
        _ algebra: JSONChanges
    ) throws(TidemarkError) {
        let server = step.isFollowedByRow ? before.confirmed : before.seen ?? before.confirmed
        let sides = DecisionSides(
            base: try algebra.compared(before.mergeBase),
            server: try algebra.compared(server.content),
            client: try algebra.compared(try before.view(algebra)),
            final: try algebra.compared(try after.view(algebra)))
        self.values = isMerge && sides.isMergeOfFields ? sides.lossesOfMerge(algebra.fields) : sides.lossesOfChoice
        self.stamp = (before.seen ?? before.confirmed).stamp
    }

    /// Compares a draft, and the record that it was saved over, with what was stored.
    ///
    /// - Parameters:
    ///   - sides: The stored record as the server's side, the draft as the client's.
    ///   - machine: The record before the draft: a stored value that differs from what it grew from was changed here.
    init(
        of sides: DecisionSides, over machine: Record.Machine, _ algebra: JSONChanges
    ) throws(TidemarkError) {
        var known = FieldPlaces(algebra.fields, in: try algebra.compared(machine.mergeBase))
        self.values = sides.lossesOfMerge(algebra.fields).map { loss in
            guard loss.side == .server, known.value(at: loss.path) != loss.value else { return loss }
            return DecisionSides.Loss(side: .client, path: loss.path, value: loss.value)
        }
        self.stamp = machine.confirmed.stamp
    }
}

extension RecordMachine.Step {
    /// Whether a state of the server that had to wait is taken in next: nothing of it has lost yet.
    fileprivate var isFollowedByRow: Bool {
        switch self.next {
        case .listed, .met: true
        case .create, .edit, .delete, .release, .resign, .giveUp, .send, .hold, .answered, .lost, .historyLost,
            .verdict, nil:
            false
        }
    }
}
