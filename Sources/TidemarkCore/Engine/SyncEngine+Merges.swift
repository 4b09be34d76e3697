import TidemarkJSON
import TidemarkMachine

// What the last merge of a record did is kept beside it, so that it can be explained.

extension RecordEvent {
    /// Whether both sides had changed the record, and one content came of it.
    var isMerge: Bool {
        switch self {
        case .rebased, .converged, .adopted, .recreated, .revived: true
        case .created, .createdAgain, .edited, .reverted, .editedInDoubt, .createdInDoubt, .createdAgainInDoubt,
            .deleted, .discarded,
            .deletedInDoubt, .released, .resumed, .resigned, .abandoned, .withdrawn, .sent, .exhausted, .refreshed,
            .repeated, .clashed, .gone, .seen, .accepted, .acceptedEarlier, .acceptedGone, .conflicted, .dissolved,
            .refused, .refusedEarlier, .lost, .forgotten, .erased, .undecided, .stale:
            false
        }
    }
}

extension SyncEngine {
    /// Keeps what a transition merged.
    ///
    /// - Parameter before: The machine before the transition; what the server had is the base of the one after.
    func summarize(
        _ step: Machine.Step, of record: inout Record, before: Machine, _ algebra: JSONChanges
    ) throws(TidemarkError) {
        let summary = MergeSummary(
            stamp: record.machine.confirmed.stamp,
            base: try before.confirmed.content?.json(),
            server: try record.machine.confirmed.content?.json(),
            client: try before.view(algebra)?.json(),
            final: try record.machine.view(algebra)?.json())
        record.lastMerge = summary.json.bytes
    }
}
