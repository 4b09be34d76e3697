import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules

/// Collects the entries of changed rows, and writes them.
final class IndexFollower: RowFollower {
    private var work: Work
    private let database: DatabaseConnection

    /// - Parameter isBuilding: Whether it adds rows that the indexes do not have yet.
    init(
        _ tables: [DerivedTable], _ declared: DeclaredIndexes, on database: DatabaseConnection, isBuilding: Bool = false
    ) {
        self.work = Work(tables, declared, isBuilding: isBuilding)
        self.database = database
    }

    func follow(_ change: inout RowChange) { self.work.follow(&change) }

    func flush() throws(DatabaseError) { try self.work.write(on: self.database) }
}

/// A value, since each access to a variable of a class is checked while the program runs.
private struct Work {
    /// The indexes, as numbers in ``RecordIndexes``.
    private var parts: [(number: Int, table: DerivedTable, batch: EntryBatch)]
    private let declared: DeclaredIndexes
    private let isBuilding: Bool
    private var (old, new) = (KeyList(), KeyList())

    init(_ tables: [DerivedTable], _ declared: DeclaredIndexes, isBuilding: Bool) {
        self.parts = declared.sorted(tables).map { ($0.number, $0.table, EntryBatch()) }
        self.declared = declared
        self.isBuilding = isBuilding
    }

    /// Collects the entries that differ.
    mutating func follow(_ change: inout RowChange) {
        for place in self.parts.indices where self.isBuilding || self.parts[place].table.has(change.row) {
            self.old.removeAll()
            self.new.removeAll()
            let (number, keys) = (self.parts[place].number, self.declared.rules.keys)
            if let content = change.from { keys.write(keysOf: content.value, in: number, to: &self.old) }
            if let content = change.to { keys.write(keysOf: content.value, in: number, to: &self.new) }
            self.collect(place, change.row, change.pk)
        }
    }

    /// Deletes the keys that are only in the old list, and inserts those that are only in the new one; both are sorted.
    private mutating func collect(_ place: Int, _ row: Int64, _ pk: String) {
        var (left, right) = (0, 0)
        while left < self.old.count || right < self.new.count {
            let order = left == self.old.count ? 1 : right == self.new.count ? -1 : self.compare(left, right)
            if order < 0 { self.parts[place].batch.append(left, of: self.old, pk: pk, row: nil) }
            if order > 0 { self.parts[place].batch.append(right, of: self.new, pk: pk, row: row) }
            left += order <= 0 ? 1 : 0
            right += order >= 0 ? 1 : 0
        }
    }

    private func compare(_ left: Int, _ right: Int) -> Int {
        let (mine, theirs) = (self.old.bytes[self.old[left]], self.new.bytes[self.new[right]])
        if mine.elementsEqual(theirs) { return 0 }
        return mine.lexicographicallyPrecedes(theirs) ? -1 : 1
    }

    /// Writes the collected entries.
    mutating func write(on database: DatabaseConnection) throws(DatabaseError) {
        for place in self.parts.indices {
            try self.parts[place].batch.write(to: self.parts[place].table.entries, on: database)
        }
    }
}

/// The indexes of a collection as a client declared them.
final class DeclaredIndexes {
    let rules: RecordIndexes

    /// Computed once, since it is compared at each write.
    let fingerprint: String

    init(_ rules: RecordIndexes) {
        self.rules = rules
        self.fingerprint = rules.fingerprint
    }

    /// Whether the indexes in the file are these.
    func are(_ tables: [DerivedTable]) -> Bool {
        self.rules.keys.indexes.count == tables.count && self.sorted(tables).count == tables.count
            && tables.allSatisfy { $0.fingerprint == self.fingerprint }
    }

    /// Those of some indexes that are declared, with their numbers, in the order of the declaration.
    func sorted(_ tables: [DerivedTable]) -> [(number: Int, table: DerivedTable)] {
        self.rules.keys.indexes.enumerated().compactMap { number, index in
            tables.first { $0.index == index }.map { (number, $0) }
        }
    }
}
