import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Journals what a server altered as it took it, as one does that keeps numbers as doubles (SPEC §12): what it shows is taken in,
/// and what was sent is kept (I2).
struct AlteredValues {
    let turn: Turn

    /// Whether the server may alter anything but the spelling of values.
    private var mayAlter: Bool {
        switch self.turn.capabilities.values {
        case .exact: false
        case .byValue, .rounded: true
        }
    }

    /// The server took what was sent of a record, and has this now.
    ///
    /// - Parameter before: The record when it was still on its way.
    func note(_ record: Record, upload before: Record.Machine) throws(TidemarkError) {
        guard self.mayAlter, let change = before.upload?.change, let row = record.machine.confirmed.content else {
            return
        }
        let (algebra, content) = (self.turn.algebra, before.confirmed.content)
        let base = try algebra.compared(content)
        let sent: JSON = try algebra.compared(try algebra.apply(change, to: content))
        let shown: JSON = try algebra.compared(row)
        let isWatching = WatchKeeper(turn: self.turn).isWatching
        for path in change.leaves(from: base, to: sent) where sent[pointer: path] != shown[pointer: path] {
            // What was there before is back: that was another write, and the value is put back.
            if isWatching, shown[pointer: path] == base?[pointer: path] { continue }
            let entry = StoredJournalEntry(
                pk: record.pk, reason: .altered, lost: .client, path: path.text, value: sent[pointer: path]?.bytes,
                stamp: record.machine.confirmed.stamp)
            _ = try Journal(turn: self.turn).append(entry)
        }
        try Journal(turn: self.turn).trim()
    }
}
