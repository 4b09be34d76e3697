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
            base: try algebra.compared(before.confirmed.content),
            server: try algebra.compared(server.content),
            client: try algebra.compared(try before.view(algebra)),
            final: try algebra.compared(try after.view(algebra)))
        self.values = isMerge && sides.isMergeOfFields ? sides.lossesOfMerge(algebra.fields) : sides.lossesOfChoice
        self.stamp = (before.seen ?? before.confirmed).stamp
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
