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
    /// - Parameter conflict: The facts that the decision was made for (R22).
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
            guard var facts = try record.machine.conflict(self.algebra(of: collection)) else {
                throw TidemarkError(
                    .nothingToDecide,
                    "\"\(conflict.pk)\" in \(collection) is in no conflict: it is \(record.machine.phase).")
            }
            if let flaw = try self.flaw(of: verdict, about: conflict.pk, in: collection) { throw flaw }
            let present = try self.conflict(of: record, in: collection)
            if present?.facts != conflict.facts {
                resolution = .stale
                facts.kind = record.machine.phase.state == .deleted ? .editEdit : .deleteEdit
                facts.server = .nothing
                facts.base = nil
                facts.client = nil
            }
            var reason: JournalEntry.Reason?
            let verdict = resolution == .stale ? Verdict.ask : verdict
            let input = try self.input(for: verdict, about: facts, of: record, in: collection, &reason, &effects)
            try self.drive(&record, input, in: collection, reason: reason, &effects)
        }
        return (resolution, effects)
    }
}

extension RecordConflict {
    /// What a decision is good for: the server's version and the client's record.
    struct Facts: Equatable {
        var stamp: String?
        var server: JSON?
        var client: JSON?
    }

    var facts: Facts { Facts(stamp: self.stamp, server: self.server, client: self.client) }
}
