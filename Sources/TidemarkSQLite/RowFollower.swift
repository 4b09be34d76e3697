import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules

/// Keeps derived tables equal to the rows of their collection, in the transaction that changes a row.
protocol RowFollower: AnyObject {
    /// Follows the change of a row.
    func follow(_ change: inout RowChange) throws(DatabaseError)

    /// Writes collected changes, after the last row.
    func flush() throws(DatabaseError)
}

/// A change of a row. Its contents are computed once, and only if a follower needs them.
struct RowChange {
    /// A version of the row.
    enum Version {
        case none
        /// Indirect, since a record is large, and a change is copied for each row.
        indirect case record(StoredRecord)
        /// Of a SYNCD row.
        case payload(ArraySlice<UInt8>?)
    }

    let row: Int64
    let pk: String
    private let (old, new): (Version, Version)
    private let declared: DeclaredIndexes?

    init(_ row: Int64, of pk: String, from old: Version, to new: Version, _ declared: DeclaredIndexes?) {
        (self.row, self.pk, self.old, self.new, self.declared) = (row, pk, old, new, declared)
    }

    /// The content before the change; nil for a record without entries.
    lazy var from: IndexedContent? = self.content(of: self.old)

    /// The content after the change.
    lazy var to: IndexedContent? = self.content(of: self.new)

    private func content(of version: Version) -> IndexedContent? {
        switch version {
        case .none: nil
        case .record(let record): self.declared?.rules.content(of: record)
        case .payload(let data): IndexedContent(value: data.flatMap { try? JSON(parsing: $0) })
        }
    }

    /// Whether the app's view has the same text as before; a changed payload always has another one. By the text, since a
    /// projection may have it: 1.0 equals 1 as a value.
    mutating func keepsView() -> Bool {
        if case .payload = self.old { return false }
        if case .payload = self.new { return false }
        let (from, to) = (self.from?.value?.text, self.to?.value?.text)
        return from.map { Array($0.utf8) } == to.map { Array($0.utf8) }
    }
}

/// The followers of a collection.
struct RowFollowers {
    let list: [any RowFollower]

    /// How views are computed; nil if no client declared the collection: then only debts are left, which need no content.
    let declared: DeclaredIndexes?

    func follow(
        _ row: Int64, of pk: String, from old: RowChange.Version, to new: RowChange.Version
    ) throws(DatabaseError) {
        var change = RowChange(row, of: pk, from: old, to: new, self.declared)
        for follower in self.list { try follower.follow(&change) }
    }

    /// Follows the change of one record.
    func write(_ row: Int64, from old: StoredRecord?, to new: StoredRecord?) throws(DatabaseError) {
        guard let pk = (new ?? old)?.pk else { return }
        func version(_ record: StoredRecord?) -> RowChange.Version { record.map { .record($0) } ?? .none }
        try self.follow(row, of: pk, from: version(old), to: version(new))
        try self.flush()
    }

    func flush() throws(DatabaseError) {
        for follower in self.list { try follower.flush() }
    }
}
