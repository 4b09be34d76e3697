import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Writes what lost, value by value, so that it can be brought back (I2).
struct Journal {
    let turn: Turn

    /// Adds what a transition of a record gave up.
    func append(_ losses: Losses, of pk: String, _ reason: JournalEntry.Reason) throws(TidemarkError) {
        for loss in losses.values {
            let entry = StoredJournalEntry(
                pk: pk, reason: reason, lost: loss.side, path: loss.path.text, value: loss.value?.bytes,
                stamp: losses.stamp)
            _ = try self.append(entry)
        }
        if !losses.values.isEmpty { try self.trim() }
    }

    /// Adds an entry, and says its number.
    func append(_ entry: StoredJournalEntry) throws(TidemarkError) -> Int64 {
        try self.turn.store.append(entry, in: self.turn.collection)
    }

    /// Forgets the oldest entries, where the app wants only so many.
    func trim() throws(TidemarkError) {
        guard let limit = self.turn.configuration.journalLimit else { return }
        // What a server has lost may be here for the last time (SPEC §6): it stays until it was sent again.
        guard try self.turn.store.lostByServer(in: self.turn.collection, limit: 1) == 0 else { return }
        try self.turn.store.trimJournal(of: self.turn.collection, keeping: limit)
    }
}
