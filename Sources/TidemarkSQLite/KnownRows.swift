import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// A cache of rows of the file, for records that are being sent: a cached row need not be read again when its answer arrives,
/// and only the changed columns of a saved row are written, so that SQLite does not touch indexes without a change.
///
/// No other connection writes to the file while it is open, so the cache equals the file. A statement that changes rows without
/// naming them, and a transaction that fails, clear the cache.
struct KnownRows {
    /// A row with its number. A class, since a record has so many parts that a copy of it costs more than a reference.
    final class Row {
        let id: Int64
        fileprivate(set) var record: StoredRecord

        init(id: Int64, record: StoredRecord) {
            self.id = id
            self.record = record
        }
    }

    /// The maximum number of rows: more than a request contains by default.
    static let most = 256

    /// The maximum payload of a cached row, in bytes.
    static let heaviest = 16 << 10

    private struct Name: Hashable {
        let collection: Int64
        let pk: CodePointString
    }

    private var rows: [Name: Row] = [:]

    subscript(pk: String, collection: Int64) -> Row? {
        self.rows.isEmpty ? nil : self.rows[Name(collection: collection, pk: CodePointString(pk))]
    }

    /// Notes that a record was saved in its row. A SYNCD row is removed from the cache: it is needed again only after an edit, and
    /// that may never come.
    mutating func note(_ record: StoredRecord, savedIn row: Row, of collection: Int64) {
        guard record.phase != .synced, record.payloadSize <= Self.heaviest else {
            return self.forget(record.pk, in: collection)
        }
        row.record = record
    }

    /// Caches a row that was read.
    mutating func note(_ row: Row, in collection: Int64) {
        let record = row.record
        guard record.payloadSize <= Self.heaviest else { return self.forget(record.pk, in: collection) }
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

extension StoredRecord {
    /// The bytes of its documents.
    fileprivate var payloadSize: Int {
        // A list of the columns would be an allocation for each row.
        var size = self.confirmed.data?.count ?? 0
        size += self.editedData?.count ?? 0
        size += self.upload?.edit.count ?? 0
        size += self.seen?.data?.count ?? 0
        size += self.watched?.count ?? 0
        size += self.base?.count ?? 0
        return size
    }
}
