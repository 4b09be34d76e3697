import TidemarkJSON
import TidemarkMachine

// What a person decides.

extension SyncEngine {
    /// What became of a decision.
    public enum Resolution: Hashable, Sendable {
        /// The conflict is settled.
        case settled

        /// The facts have moved on; the decision was refused and the question is asked anew (R22).
        case stale
    }

    /// The conflicts that wait for a person, in the order in which the records were changed.
    public func conflicts(in collection: String) throws(TidemarkError) -> [RecordConflict] {
        var conflicts: [RecordConflict] = []
        for stored in try self.store.waitingRecords(in: collection) where stored.phase.activity == .deciding {
            // One that is damaged hides no other.
            _ = try self.damage { () throws(TidemarkError) in
                let record = try self.revive(stored, in: collection)
                if let conflict = try self.conflict(of: record, in: collection) { conflicts.append(conflict) }
            }
        }
        return conflicts
    }

    /// The conflict of one record; nil when it is in none.
    public func conflict(of pk: String, in collection: String) throws(TidemarkError) -> RecordConflict? {
        try self.conflict(of: try self.load(pk, in: collection), in: collection)
    }

    /// Decides a conflict.
    ///
    /// - Parameter conflict: What the decision is about, as the app was shown it. The machine takes no decision about
    ///   anything else (R22).
    /// - Throws: ``TidemarkError/Code/nothingToDecide`` when the record is in no conflict,
    ///   ``TidemarkError/Code/invalidContent`` when the verdict is a merge that is not an object,
    ///   ``TidemarkError/Code/recordExists`` or ``TidemarkError/Code/invalidName`` when `keepBoth` names a pk that is taken
    ///   or can't be one.
    public func resolve(
        _ conflict: RecordConflict, _ verdict: Verdict
    ) throws(TidemarkError) -> (resolution: Resolution, effects: [Effect]) {
        let collection = conflict.collection
        var resolution = Resolution.settled
        let effects = try self.commit { (effects) throws(TidemarkError) in
            var record = try self.load(conflict.pk, in: collection)
            guard try record.machine.conflict(self.algebra(of: collection)) != nil else {
                throw TidemarkError(
                    .nothingToDecide,
                    "“\(conflict.pk)” in \(collection) is in no conflict: it is \(record.machine.phase).")
            }
            if let flaw = try self.flaw(of: verdict, about: conflict.pk, in: collection) { throw flaw }
            let ruling = Ruling(verdict, about: conflict, self.configuration[collection].fields)
            let course = try self.drive(&record, ruling, in: collection, &effects)
            if course.events.contains(.stale) { resolution = .stale }
        }
        return (resolution, effects)
    }
}
