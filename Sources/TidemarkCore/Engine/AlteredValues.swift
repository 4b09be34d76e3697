import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Journals values that a server altered when it accepted them, for example because it keeps numbers as doubles (SPEC §12): the
/// server's value is applied, and the sent value is kept in the journal (I2).
struct AlteredValues {
    let transaction: EngineTransaction

    /// Whether the server may alter more than the spelling of values.
    private var mayAlter: Bool {
        switch self.transaction.capabilities.values {
        case .exact: false
        case .byValue, .rounded: true
        }
    }

    /// Compares an accepted upload with the server's row.
    ///
    /// - Parameter before: The record while the upload was in flight.
    func note(_ record: Record, upload before: Record.Machine) throws(TidemarkError) {
        guard self.mayAlter, let change = before.upload?.change, let row = record.machine.confirmed.content else {
            return
        }
        let (algebra, content) = (self.transaction.algebra, before.confirmed.content)
        let base = try algebra.compared(content)
        let sent: JSON = try algebra.compared(try algebra.apply(change, to: content))
        let shown: JSON = try algebra.compared(row)
        let isLost =
            LostUpdateGuard(transaction: self.transaction).isWatching
            && LostUpdateGuard.mayBeLater(record, upload: before)
        for path in change.leaves(from: base, to: sent) where sent[pointer: path] != shown[pointer: path] {
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
