import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules

/// Writes changed rows of a collection to the tables of its projections.
struct ProjectionWriter {
    private let set: ProjectionSet
    private let members: [ProjectionSet.Member]
    private let rules: RecordIndexes

    init(_ set: ProjectionSet, _ members: [ProjectionSet.Member], _ rules: RecordIndexes) {
        self.set = set
        self.members = members
        self.rules = rules
    }

    /// Writes a record, if the app's view of it changed.
    ///
    /// - Parameter row: The number of its row.
    func change(_ row: Int64, from old: StoredRecord?, to new: StoredRecord?) throws(DatabaseError) {
        guard let pk = (new ?? old)?.pk else { return }
        let views = [old, new].map { record in record.flatMap(self.rules.content)?.value }
        // By their text, since tables may have it: 1.0 equals 1 as a value.
        guard views[0].map({ Array($0.text.utf8) }) != views[1].map({ Array($0.text.utf8) }) else { return }
        try self.write(row, pk, views[1])
    }

    /// Writes a SYNCD row with a payload of the server; nil if it was removed.
    func change(_ row: Int64, _ pk: String, to data: ArraySlice<UInt8>?) throws(DatabaseError) {
        try self.write(row, pk, data.flatMap { self.rules.content(synced: Array($0)).value })
    }

    private func write(_ row: Int64, _ pk: String, _ content: JSON?) throws(DatabaseError) {
        for member in self.members { try self.set.update(member, row: row, pk, to: content) }
    }
}
