import TidemarkJSON
import TidemarkMachine

// What lost, value by value, so that it can be brought back (I2).

extension SyncEngine {
    /// Journals what a transition gave up.
    ///
    /// - Parameters:
    ///   - isMerge: Whether the outcome is a content made of both sides, and not one of them.
    ///   - before: The machine before the transition: its three sides are what was decided about.
    func journal(
        _ reason: JournalEntry.Reason, _ step: Machine.Step, isMerge: Bool, of record: Record, before: Machine,
        _ algebra: JSONChanges, in collection: String
    ) throws(TidemarkError) {
        let sides = DecisionSides(
            base: try before.confirmed.content?.json(),
            server: try (step.isFollowedByRow ? before.confirmed : before.seen ?? before.confirmed).content?.json(),
            client: try before.view(algebra)?.json(),
            final: try record.machine.view(algebra)?.json())
        let stamp = (before.seen ?? before.confirmed).stamp
        let losses =
            isMerge && sides.isMergeOfFields ? sides.lossesOfMerge(algebra.fields) : sides.lossesOfChoice
        for loss in losses {
            let entry = StoredJournalEntry(
                pk: record.pk, reason: reason, lost: loss.side, path: loss.path.text, value: loss.value?.bytes,
                stamp: stamp)
            _ = try self.store.append(entry, in: collection)
        }
        if !losses.isEmpty { try self.trimJournal(of: collection) }
    }

    /// Forgets the oldest entries, where the app wants only so many.
    func trimJournal(of collection: String) throws(TidemarkError) {
        guard let limit = self.configuration.journalLimit else { return }
        // What a server has lost may be here for the last time (SPEC §6): it stays until it was sent again.
        guard try self.valuesLost(in: collection) == 0 else { return }
        try self.store.trimJournal(of: collection, keeping: limit)
    }
}

extension RecordMachine.Step {
    /// Whether a state of the server that had to wait is taken in next: nothing of it has lost yet.
    fileprivate var isFollowedByRow: Bool {
        switch self.next {
        case .listed, .met: true
        case .create, .edit, .delete, .release, .resign, .send, .hold, .answered, .lost, .historyLost, .verdict, nil:
            false
        }
    }
}
