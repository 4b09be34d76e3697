package import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

/// A store that keeps indexes of members (``RecordIndex``).
///
/// The entries of a record depend only on its row: they are the keys of the app's view, and a record without a view has none.
/// The store writes them in the transaction that writes the row. A query reads the row of each entry and checks it again.
///
/// An index that is declared for existing records is built in slices, in the order of the rows' numbers; until it is complete no
/// query uses it, and only the rows before that place are kept.
package protocol IndexedStore: RecordStore {
    /// Makes and drops indexes, so that a collection has exactly the given indexes; within a transaction, before the first other
    /// write to the collection. An index with another ``RecordIndexes/fingerprint`` is built again. An index of no records is
    /// complete at once.
    ///
    /// A guest makes and drops nothing: indexes and tables that it does not know stay, and a write leaves a debt in them, which the
    /// next declaration that knows them pays. The store uses none with a debt.
    ///
    /// A page of rows for a collection without records, or with a few that the server does not have yet, may make its indexes
    /// incomplete: rows that come together are faster to add at the end.
    func declare(_ indexes: RecordIndexes, in collection: String, asGuest: Bool) throws(TidemarkError)

    /// The indexes in the store, complete or not.
    func storedIndexes(in collection: String) throws(TidemarkError) -> [RecordIndex]

    func completeIndexes(in collection: String) throws(TidemarkError) -> [RecordIndex]

    /// The collections whose indexes must be declared even if there are none: the store also keeps tables of the app that are
    /// made of the records' views.
    var projectedCollections: [String] { get }

    /// Whether there are rows to add to the indexes or to tables of the app.
    func isIncomplete(_ collection: String) throws(TidemarkError) -> Bool

    /// Adds the entries of some more rows to the indexes that are not complete, or else rows to tables of the app.
    ///
    /// - Parameter limit: The maximum number of rows; a store may add fewer if they are large.
    /// - Returns: Whether there are more rows to add.
    func buildIndexes(in collection: String, limit: Int) throws(TidemarkError) -> Bool

    /// Returns entries of a complete index with their records, in the order of key and pk or, if `isBackward`, in the
    /// opposite one.
    ///
    /// - Parameters:
    ///   - range: The keys.
    ///   - place: Only entries beyond this one are returned; nil for all.
    ///   - limit: The maximum number of entries.
    func entries(
        of index: RecordIndex, in collection: String, range: KeyRange, beyond place: IndexPlace?, isBackward: Bool,
        limit: Int
    ) throws(TidemarkError) -> IndexEntries

    /// The number of entries of a complete index in a range.
    func count(of index: RecordIndex, in collection: String, range: KeyRange) throws(TidemarkError) -> Int

    /// Compares all indexes with the records.
    ///
    /// - Returns: The differences, as texts for the user; at most `limit`.
    func indexFaults(in collection: String, limit: Int) throws(TidemarkError) -> [String]
}

extension IndexedStore {
    /// Declares the indexes of the store's owner.
    package func declare(_ indexes: RecordIndexes, in collection: String) throws(TidemarkError) {
        try self.declare(indexes, in: collection, asGuest: false)
    }
}

/// The place of an entry in an index.
package struct IndexPlace: Hashable, Sendable {
    package var key: [UInt8]
    package var pk: String
}

/// A record that an index offers.
package enum IndexedRecord: Sendable {
    /// In the state SYNCD: nothing has to be applied to its payload, and it has no other parts.
    case synced(pk: String, version: String, data: [UInt8])

    /// In another state, or damaged.
    indirect case stored(StoredRecord)

    package var pk: String {
        switch self {
        case .synced(let pk, _, _): pk
        case .stored(let record): record.pk
        }
    }
}

/// Entries of an index with their records.
package struct IndexEntries: Sendable {
    /// The keys, one for each of ``records``.
    package private(set) var keys = KeyList()

    package private(set) var records: [IndexedRecord] = []

    /// - Parameter capacity: The number of entries that are expected.
    package init(capacity: Int = 0) { self.records.reserveCapacity(capacity) }

    /// Appends the key of the next record.
    package mutating func append(key: UnsafeRawBufferPointer) {
        unsafe self.keys.append(key)
    }

    /// Appends the record of the last key.
    package mutating func append(_ record: IndexedRecord) {
        self.records.append(record)
    }

    /// The place of the last entry.
    package var last: IndexPlace? {
        self.records.last.map { IndexPlace(key: self.keys.key(self.keys.count - 1), pk: $0.pk) }
    }
}

/// The declared indexes of a collection, and how to read a record for them.
package struct RecordIndexes: Sendable {
    package let keys: IndexKeys
    private let algebra: JSONChanges

    package init(_ keys: IndexKeys, members: RecordMembers) {
        self.keys = keys
        self.algebra = JSONChanges(members: members)
    }

    /// A text that changes if the entries of the same rows do.
    package var fingerprint: String {
        let members = self.algebra.members
        return "\(QueryKey.encoding) \((members.server + members.carried).map(\.text)) \(members.pk?.text ?? "")"
    }

    /// The content whose keys are the entries of a record; nil if it has none, since the app does not see it.
    package func content(of record: StoredRecord) -> IndexedContent? {
        switch record.phase {
        case .absent, .deleted: nil
        case .synced: self.content(synced: record.confirmed.data)
        case .edited, .created: IndexedContent(value: self.view(of: record))
        }
    }

    /// The content of a SYNCD record, from its payload.
    package func content(synced data: [UInt8]?) -> IndexedContent {
        IndexedContent(value: data.flatMap { try? JSON(parsing: $0) })
    }

    /// The keys of a record in each index; none if the app does not see it.
    package func entries(of record: StoredRecord) -> [[[UInt8]]] {
        let content = self.content(of: record)
        return self.keys.indexes.indices.map { index in content.map { self.keys.keys(of: $0.value, in: index) } ?? [] }
    }

    private func view(of record: StoredRecord) -> JSON? {
        (try? Record(record).machine.view(self.algebra))?.flatMap { try? $0.json() }
    }
}

/// A content that has entries in an index.
package struct IndexedContent: Sendable {
    /// The app's view; nil if it can't be read: then every member is missing.
    package let value: JSON?

    package init(value: JSON?) {
        self.value = value
    }
}
