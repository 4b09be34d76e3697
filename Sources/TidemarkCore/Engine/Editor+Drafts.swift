import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// Saving a draft: one edit of the record that is stored at that moment.

extension Editor {
    /// Stores the changes of a draft, and journals the values that lose.
    func save(
        _ draft: JSON, from base: JSON, of pk: String, preferring answers: [DraftConflict.Field: DraftConflict.Side],
        losses omitted: [TypedChange.Loss]
    ) throws(TidemarkError) -> RecordEdit {
        try self.transaction.limits.check(draft, as: pk)
        let record = try self.undeleted(pk)
        let stored = try self.view(of: record).json
        let merge = try DraftMerge(
            base: base, stored: (stored, record.machine.confirmed.version), draft: draft, of: pk,
            in: self.transaction.collection, self.transaction.rules, self.transaction.members)
        switch merge.outcome({ answers[DraftConflict.Field($0)]?.verdict }) {
        case .undecided(let clashes):
            throw DraftConflict(
                collection: self.transaction.collection, pk: pk, fields: clashes.map(DraftConflict.Field.init)
            )
            .error
        case .record(let content):
            let algebra = self.transaction.algebra
            let losses = try Losses(
                of: merge.merge, to: algebra.members.removed(from: content), over: record.machine, algebra)
            try Journal(transaction: self.transaction).append(losses, of: pk, .merge)
            try self.journal(omitted, from: stored, to: content, of: record)
            return try self.edit(pk) { _ in content }
        }
    }

    /// Journals the arrays of a record from which a type removed values that it does not know. An array that was replaced
    /// before, as by an earlier save of the same draft, is in the journal already.
    func journal(
        _ losses: [TypedChange.Loss], from stored: JSON, to content: JSON, of record: Record
    ) throws(TidemarkError) {
        guard !losses.isEmpty else { return }
        let journal = Journal(transaction: self.transaction)
        for loss in losses where stored[pointer: loss.path] == loss.value && content[pointer: loss.path] != loss.value {
            let entry = StoredJournalEntry(
                pk: record.pk, reason: .merge, lost: .client, path: loss.path.text, value: loss.value.bytes,
                version: record.machine.confirmed.version)
            _ = try journal.append(entry)
        }
        try journal.trim()
    }

    /// Returns the record that a draft is saved to.
    private func undeleted(_ pk: String) throws(TidemarkError) -> Record {
        let record = try self.transaction.load(pk)
        guard record.machine.isVisible else {
            throw TidemarkError(
                .noSuchRecord,
                """
                The record “\(pk)” in \(self.transaction.collection) was deleted after the draft was made. Nothing was saved: \
                create the record again from the draft, or discard the draft.
                """)
        }
        return record
    }
}

extension DraftConflict.Field {
    /// Makes the field of a conflicting field.
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
