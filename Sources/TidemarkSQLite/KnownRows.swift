import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Rows as the file has them, of records that are on their way: what is known need not be read again when its answer comes, and of
/// what is saved only the columns are written that have changed, so that SQLite leaves alone what indexes have nothing to do with it.
///
/// No one else writes to the file as long as it is open, so what was written to it is what stands there. Whatever changes rows
/// without saying which, and a transaction that fails, makes the store forget all of them.
struct KnownRows {
    /// A row with its number.
    struct Row {
        let id: Int64
        let record: StoredRecord
    }

    /// More than a request carries by default.
    static let most = 256

    /// How many bytes of payload a row may have that is kept in mind.
    static let heaviest = 16 << 10

    private struct Name: Hashable {
        let collection: Int64
        let pk: CodePointString
    }

    private var rows: [Name: Row] = [:]

    subscript(pk: String, collection: Int64) -> Row? {
        self.rows.isEmpty ? nil : self.rows[Name(collection: collection, pk: CodePointString(pk))]
    }

    /// Keeps in mind what a row has now. What is in step is forgotten: its turn comes with an edit, and that may be never.
    mutating func note(_ row: Row, savedIn collection: Int64) {
        guard row.record.phase != .synced else { return self.forget(row.record.pk, in: collection) }
        self.note(row, in: collection)
    }

    /// Keeps in mind what was read.
    mutating func note(_ row: Row, in collection: Int64) {
        let record = row.record
        let parts = [
            record.confirmed.data, record.editedData, record.upload?.edit, record.seen?.data, record.watched,
            record.base,
        ]
        guard parts.reduce(0, { $0 + ($1?.count ?? 0) }) <= Self.heaviest else {
            return self.forget(record.pk, in: collection)
        }
        let name = Name(collection: collection, pk: CodePointString(record.pk))
        if self.rows.count >= Self.most, self.rows[name] == nil { self.forgetAll() }
        self.rows[name] = row
    }

    mutating func forget(_ pk: String, in collection: Int64) {
        guard !self.rows.isEmpty else { return }
        self.rows[Name(collection: collection, pk: CodePointString(pk))] = nil
    }

    mutating func forgetAll() {
        guard !self.rows.isEmpty else { return }
        self.rows.removeAll(keepingCapacity: true)
    }
}
