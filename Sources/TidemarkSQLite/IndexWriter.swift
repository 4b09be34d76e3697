import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules

/// Writes the entries of changed rows.
final class IndexWriter {
    private let indexes: CollectionIndexes
    private let rules: RecordIndexes
    private let database: DatabaseConnection

    /// The statements of each index, once they are used.
    private var insertions: [DatabaseStatement?]
    private var deletions: [DatabaseStatement?]
    private var (old, new) = (KeyList(), KeyList())

    init(_ indexes: CollectionIndexes, _ rules: RecordIndexes, on database: DatabaseConnection) {
        self.indexes = indexes
        self.rules = rules
        self.database = database
        self.insertions = [DatabaseStatement?](repeating: nil, count: indexes.list.count)
        self.deletions = self.insertions
    }

    /// Writes the entries that differ between two versions of a record.
    ///
    /// - Parameter row: The number of its row.
    func change(_ row: Int64, from old: StoredRecord?, to new: StoredRecord?) throws(DatabaseError) {
        guard let pk = (new ?? old)?.pk, self.indexes.list.contains(where: { $0.has(row) }) else { return }
        try self.change(row, from: old.flatMap(self.rules.content), to: new.flatMap(self.rules.content)) {
            (statement) throws(DatabaseError) in try statement.bind(2, pk)
        }
    }

    /// The same for payloads of the server, as they are in SYNCD rows.
    ///
    /// - Parameter bindPK: Binds the pk to ?2.
    func change(
        _ row: Int64, from old: JSON??, to new: JSON??, bindPK: (DatabaseStatement) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        try self.change(
            row, from: old.map { IndexedContent(value: $0) }, to: new.map { IndexedContent(value: $0) }, bindPK)
    }

    private func change(
        _ row: Int64, from old: IndexedContent?, to new: IndexedContent?,
        _ bindPK: (DatabaseStatement) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        for (number, index) in self.indexes.list.enumerated() where index.has(row) {
            self.old.removeAll()
            self.new.removeAll()
            if let old { self.rules.keys.write(keysOf: old.value, in: number, to: &self.old) }
            if let new { self.rules.keys.write(keysOf: new.value, in: number, to: &self.new) }
            try self.replace(number, row, bindPK)
        }
    }

    /// Deletes the keys that are only in the old list, and inserts those that are only in the new one; both are sorted.
    private func replace(
        _ number: Int, _ row: Int64, _ bindPK: (DatabaseStatement) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        var (left, right) = (0, 0)
        while left < self.old.count || right < self.new.count {
            let order = left == self.old.count ? 1 : right == self.new.count ? -1 : self.compare(left, right)
            if order < 0 {
                let statement = try self.deletion(number)
                try bindPK(statement)
                try self.run(statement, self.old, left)
            } else if order > 0 {
                let statement = try self.insertion(number)
                try bindPK(statement)
                try statement.bind(3, row)
                try self.run(statement, self.new, right)
            }
            left += order <= 0 ? 1 : 0
            right += order >= 0 ? 1 : 0
        }
    }

    private func run(_ statement: DatabaseStatement, _ list: KeyList, _ number: Int) throws(DatabaseError) {
        let place = list[number]
        unsafe try list.bytes.withUnsafeBufferPointer { (bytes) throws(DatabaseError) in
            unsafe try statement.bind(1, bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[place])))
            try statement.run()
        }
    }

    private func compare(_ left: Int, _ right: Int) -> Int {
        let (mine, theirs) = (self.old.bytes[self.old[left]], self.new.bytes[self.new[right]])
        if mine.elementsEqual(theirs) { return 0 }
        return mine.lexicographicallyPrecedes(theirs) ? -1 : 1
    }

    private func insertion(_ number: Int) throws(DatabaseError) -> DatabaseStatement {
        if let statement = self.insertions[number] { return statement }
        let statement = try self.database.statement(Self.inserting(into: self.indexes.list[number].table))
        self.insertions[number] = statement
        return statement
    }

    private func deletion(_ number: Int) throws(DatabaseError) -> DatabaseStatement {
        if let statement = self.deletions[number] { return statement }
        let table = self.indexes.list[number].table
        let statement = try self.database.statement("DELETE FROM \(table) WHERE key = ?1 AND pk = ?2")
        self.deletions[number] = statement
        return statement
    }

    /// An entry that another program put there by mistake is replaced, and is no reason to refuse an edit.
    static func inserting(into table: String) -> String {
        """
        INSERT INTO \(table) (key, pk, record) VALUES (?1, ?2, ?3)
        ON CONFLICT (key, pk) DO UPDATE SET record = excluded.record
        """
    }
}
