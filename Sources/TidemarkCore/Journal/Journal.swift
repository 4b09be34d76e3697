import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Writes the lost values, one entry for each, so that they can be restored (I2).
struct Journal {
    let transaction: EngineTransaction

    /// Adds the losses of a transition of a record.
    func append(_ losses: Losses, of pk: String, _ reason: JournalEntry.Reason) throws(TidemarkError) {
        for loss in losses.values {
            let entry = StoredJournalEntry(
                pk: pk, reason: reason, lost: loss.side, path: loss.path.text, value: loss.value?.bytes,
                version: losses.version)
            _ = try self.append(entry)
        }
        if !losses.values.isEmpty { try self.trim() }
    }

    /// Adds an entry, and returns its number.
    func append(_ entry: StoredJournalEntry) throws(TidemarkError) -> Int64 {
        self.transaction.noteWrite()
        // A merge gives up values of fields, and no addition.
        if entry.reason != .merge, entry.reason != .replaced { self.transaction.memory.discards += 1 }
        return try self.transaction.store.append(entry, in: self.transaction.collection)
    }

    /// Removes the oldest entries beyond the limit of the configuration.
    func trim() throws(TidemarkError) {
        guard let limit = self.transaction.configuration.journalLimit, !self.transaction.configuration.isGuest else {
            return
        }
        // The journal may have the last copy of a value that a server lost (Contract §6): it is kept until it was sent again.
        guard try self.transaction.store.lostByServer(in: self.transaction.collection, limit: 1) == 0 else { return }
        try self.transaction.store.trimJournal(of: self.transaction.collection, keeping: limit, reason: nil)
    }

    /// Removes the oldest entries for replaced values beyond their limit.
    func trimReplaced() throws(TidemarkError) {
        guard !self.transaction.configuration.isGuest else { return }
        try self.transaction.store.trimJournal(
            of: self.transaction.collection, keeping: self.transaction.limits.replacedValues, reason: .replaced)
    }
}
