import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Journals values that a server altered when it accepted them, for example because it keeps numbers as doubles (Contract §12): the
/// server's value is applied, and the sent value is kept in the journal (I2).
struct AlteredValues {
    let transaction: EngineTransaction

    /// Compares an accepted upload with the server's row.
    ///
    /// - Parameters:
    ///   - before: The record while the upload was in flight.
    ///   - isReadBack: Whether the row was read after the write.
    func note(_ record: Record, upload before: Record.Machine, isReadBack: Bool) throws(TidemarkError) {
        let keeper = LostUpdateGuard(transaction: self.transaction)
        guard !keeper.showsOthers(record, upload: before, isReadBack: isReadBack),
            let change = before.upload?.change, let row = record.machine.confirmed.content
        else { return }
        let (algebra, content) = (self.transaction.algebra, before.confirmed.content)
        let base = try algebra.compared(content)
        let sent: JSON = try algebra.compared(try algebra.apply(change, to: content))
        let shown: JSON = try algebra.compared(row)
        let isLost = keeper.returnsValues && LostUpdateGuard.mayBeLater(record, upload: before)
        for path in change.leaves(from: base, to: sent, by: algebra.fields)
        where sent[pointer: path] != shown[pointer: path] {
            // In a later row, another write has restored the value from before: the sent one is sent again.
            if isLost, shown[pointer: path] == base?[pointer: path] { continue }
            let entry = StoredJournalEntry(
                pk: record.pk, reason: .altered, lost: .client, path: path.text, value: sent[pointer: path]?.bytes,
                version: record.machine.confirmed.version)
            _ = try Journal(transaction: self.transaction).append(entry)
        }
        try Journal(transaction: self.transaction).trim()
    }
}
