import TidemarkDatabase
import TidemarkRules

/// Changes of the entries of an index, which are sorted and then written: so each page of the table is read and written once.
struct EntryBatch {
    /// The keys and pks of all changes, one after the other.
    private var bytes: [UInt8] = []
    private var changes: [Change] = []

    private struct Change {
        /// The first eight bytes of the key as a number with the same order; they decide most comparisons.
        var prefix: UInt64
        var start: Int
        var keyEnd: Int
        var pkEnd: Int

        /// The row of a new entry; nil if the entry is deleted.
        var row: Int64?
    }

    /// Adds a change.
    ///
    /// - Parameter row: The row of a new entry; nil if the entry is deleted.
    mutating func append(_ number: Int, of keys: KeyList, pk: String, row: Int64?) {
        let start = self.bytes.count
        self.bytes += keys.bytes[keys[number]]
        let keyEnd = self.bytes.count
        var pk = pk
        pk.withUTF8 { unsafe self.bytes.append(contentsOf: $0) }
        var prefix: UInt64 = 0
        for place in start..<min(start + 8, keyEnd) {
            prefix |= UInt64(self.bytes[place]) << UInt64(56 - 8 * (place - start))
        }
        self.changes.append(Change(prefix: prefix, start: start, keyEnd: keyEnd, pkEnd: self.bytes.count, row: row))
    }

    /// Writes the changes to a table.
    mutating func write(to table: String, on database: DatabaseConnection) throws(DatabaseError) {
        guard !self.changes.isEmpty else { return }
        var changes = self.changes
        unsafe try self.bytes.withUnsafeBufferPointer { (bytes) throws(DatabaseError) in
            let bytes = UnsafeRawBufferPointer(bytes)
            unsafe Self.sort(&changes, in: bytes)
            let insertion = try database.statement(Self.insertion(into: table))
            let deletion = try database.statement("DELETE FROM \(table) WHERE key = ?1 AND pk = ?2")
            for change in changes {
                let statement = change.row == nil ? deletion : insertion
                let (key, pk) = (change.start..<change.keyEnd, change.keyEnd..<change.pkEnd)
                unsafe try statement.bind(1, bytes: UnsafeRawBufferPointer(rebasing: bytes[key]))
                unsafe try statement.bind(2, text: UnsafeRawBufferPointer(rebasing: bytes[pk]))
                if let row = change.row { try statement.bind(3, row) }
                try statement.run()
            }
        }
        self.bytes.removeAll(keepingCapacity: true)
        self.changes.removeAll(keepingCapacity: true)
    }

    /// Sorts by key and pk; changes of the same entry keep their order, which is that of their places.
    private static func sort(_ changes: inout [Change], in bytes: UnsafeRawBufferPointer) {
        changes.sort { left, right in
            guard left.prefix == right.prefix else { return left.prefix < right.prefix }
            // No key is the beginning of another one, so key and pk together have the order of the pairs.
            let mine = unsafe bytes[left.start..<left.pkEnd]
            let theirs = unsafe bytes[right.start..<right.pkEnd]
            if unsafe mine.lexicographicallyPrecedes(theirs) { return true }
            return unsafe left.start < right.start && !theirs.lexicographicallyPrecedes(mine)
        }
    }

    /// An entry that another program put there by mistake is replaced, and is no reason to refuse an edit.
    private static func insertion(into table: String) -> String {
        """
        INSERT INTO \(table) (key, pk, record) VALUES (?1, ?2, ?3)
        ON CONFLICT (key, pk) DO UPDATE SET record = excluded.record
        """
    }
}
