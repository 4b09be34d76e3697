import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules

/// Collects the entries of changed rows, and writes them.
final class IndexWriter {
    private let indexes: CollectionIndexes
    private let rules: RecordIndexes
    private let database: DatabaseConnection
    private var batches: [EntryBatch]
    private var (old, new) = (KeyList(), KeyList())

    init(_ indexes: CollectionIndexes, _ rules: RecordIndexes, on database: DatabaseConnection) {
        self.indexes = indexes
        self.rules = rules
        self.database = database
        self.batches = [EntryBatch](repeating: EntryBatch(), count: indexes.list.count)
    }

    /// Writes the entries that differ between two versions of a record.
    ///
    /// - Parameter row: The number of its row.
    func write(_ row: Int64, from old: StoredRecord?, to new: StoredRecord?) throws(DatabaseError) {
        guard var pk = (new ?? old)?.pk, self.indexes.list.contains(where: { $0.has(row) }) else { return }
        pk.withUTF8 { bytes in
            unsafe self.change(
                row, pk: UnsafeRawBufferPointer(bytes), from: old.flatMap(self.rules.content),
                to: new.flatMap(self.rules.content))
        }
        try self.write()
    }

    /// Collects the entries that differ between two contents of a record; nil for a record without entries.
    func change(_ row: Int64, pk: UnsafeRawBufferPointer, from old: IndexedContent?, to new: IndexedContent?) {
        for (number, index) in self.indexes.list.enumerated() where index.has(row) {
            self.old.removeAll()
            self.new.removeAll()
            if let old { self.rules.keys.write(keysOf: old.value, in: number, to: &self.old) }
            if let new { self.rules.keys.write(keysOf: new.value, in: number, to: &self.new) }
            unsafe self.collect(number, row, pk)
        }
    }

    /// Deletes the keys that are only in the old list, and inserts those that are only in the new one; both are sorted.
    private func collect(_ number: Int, _ row: Int64, _ pk: UnsafeRawBufferPointer) {
        var (left, right) = (0, 0)
        while left < self.old.count || right < self.new.count {
            let order = left == self.old.count ? 1 : right == self.new.count ? -1 : self.compare(left, right)
            if order < 0 { unsafe self.batches[number].append(left, of: self.old, pk: pk, row: nil) }
            if order > 0 { unsafe self.batches[number].append(right, of: self.new, pk: pk, row: row) }
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
    func write() throws(DatabaseError) {
        for (number, index) in self.indexes.list.enumerated() {
            try self.batches[number].write(to: index.table, on: self.database)
        }
    }
}
