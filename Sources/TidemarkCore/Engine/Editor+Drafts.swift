import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// Saving a draft: one edit, over what is stored in the moment of the save.

extension Editor {
    /// Stores what a draft changed, and journals the values that lose by it.
    func save(
        _ draft: JSON, from base: JSON, of pk: String, preferring answers: [DraftConflict.Field: DraftConflict.Side]
    ) throws(TidemarkError) -> RecordEdit {
        try self.check(draft, pk: pk)
        let record = try self.undeleted(pk)
        let stored = try self.view(of: record).json
        let merge = try DraftMerge(
            base: base, stored: (stored, record.machine.confirmed.stamp), draft: draft, of: pk,
            in: self.turn.collection, self.turn.rules, self.turn.members)
        switch merge.outcome({ answers[DraftConflict.Field($0)]?.verdict }) {
        case .undecided(let clashes):
            throw DraftConflict(collection: self.turn.collection, pk: pk, fields: clashes.map(DraftConflict.Field.init))
                .error
        case .record(let content):
            let algebra = self.turn.algebra
            let sides = DecisionSides(
                base: algebra.members.removed(from: base), server: algebra.members.removed(from: stored),
                client: algebra.members.removed(from: draft), final: algebra.members.removed(from: content))
            try Journal(turn: self.turn).append(try Losses(of: sides, over: record.machine, algebra), of: pk, .merge)
            return try self.edit(pk) { _ in content }
        }
    }

    /// The record that a draft is saved to.
    private func undeleted(_ pk: String) throws(TidemarkError) -> Record {
        let record = try self.turn.load(pk)
        guard record.machine.isVisible else {
            throw TidemarkError(
                .noSuchRecord,
                """
                The record “\(pk)” in \(self.turn.collection) was deleted after the draft was made. Nothing was saved: \
                create the record again from the draft, or discard the draft.
                """)
        }
        return record
    }
}

extension DraftConflict.Field {
    /// The field that a clash is about.
    fileprivate init(_ clash: JSONMerge.Clash) {
        self.init(path: clash.path, base: clash.base, stored: clash.server, draft: clash.client)
    }
}

extension DraftConflict.Side {
    fileprivate var verdict: Verdict.Side {
        switch self {
        case .stored: .server
        case .draft: .client
        }
    }
}
