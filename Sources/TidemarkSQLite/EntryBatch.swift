import TidemarkCore
import TidemarkDatabase
import TidemarkRules

/// New entries of an index, which are sorted and then inserted: so each page of the table is written once.
struct EntryBatch {
    /// The keys and pks of all entries, one after the other.
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []

    private struct Entry {
        /// The first eight bytes of the key as a number with the same order; they decide most comparisons.
        var prefix: UInt64
        var start: Int
        var keyEnd: Int
        var pkEnd: Int
        var row: Int64
    }

    mutating func append(_ keys: KeyList, pk: UnsafeRawBufferPointer, row: Int64) {
        for number in 0..<keys.count {
            let start = self.bytes.count
            self.bytes += keys.bytes[keys[number]]
            let keyEnd = self.bytes.count
            unsafe self.bytes.append(contentsOf: pk)
            var prefix: UInt64 = 0
            for place in start..<min(start + 8, keyEnd) {
                prefix |= UInt64(self.bytes[place]) << UInt64(56 - 8 * (place - start))
            }
            self.entries.append(
                Entry(prefix: prefix, start: start, keyEnd: keyEnd, pkEnd: self.bytes.count, row: row))
        }
    }

    /// Inserts the entries into a table.
    mutating func insert(into table: String, on database: DatabaseConnection) throws(DatabaseError) {
        let statement = try database.statement(IndexWriter.inserting(into: table))
        var entries = self.entries
        self.entries = []
        unsafe try self.bytes.withUnsafeBufferPointer { (bytes) throws(DatabaseError) in
            let bytes = UnsafeRawBufferPointer(bytes)
            entries.sort { left, right in
                guard left.prefix == right.prefix else { return left.prefix < right.prefix }
                // No key is the beginning of another one, so key and pk together have the order of the pairs.
                let (mine, theirs) = (left.start..<left.pkEnd, right.start..<right.pkEnd)
                return unsafe bytes[mine].lexicographicallyPrecedes(bytes[theirs])
            }
            for entry in entries {
                unsafe try statement.bind(1, bytes: UnsafeRawBufferPointer(rebasing: bytes[entry.start..<entry.keyEnd]))
                unsafe try statement.bind(2, text: UnsafeRawBufferPointer(rebasing: bytes[entry.keyEnd..<entry.pkEnd]))
                try statement.bind(3, entry.row)
                try statement.run()
            }
        }
        self.bytes.removeAll(keepingCapacity: true)
        self.entries = entries
        self.entries.removeAll(keepingCapacity: true)
    }
}
