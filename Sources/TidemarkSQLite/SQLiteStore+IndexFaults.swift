import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

extension SQLiteStore {
    /// Compares all indexes with the records.
    package func indexFaults(in collection: String, limit: Int) throws(TidemarkError) -> [String] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection), try !self.derived.all(.index, in: collection).isEmpty
            else { return [] }
            guard let rules = self.declared[CodePointString(collection)]?.rules,
                let indexes = try self.declaredIndexes(in: collection)
            else {
                return ["The indexes of \(collection) are not those of this client: they can't be compared."]
            }
            var check = IndexCheck(indexes, rules, collection: id, limit: limit)
            try check.findMissing(self.database)
            try check.findStray(self.database)
            return check.faults
        }
    }
}

/// Compares entries with the rows that they are made of.
private struct IndexCheck {
    /// In the order of the rules.
    private let indexes: [DerivedTable]
    private let rules: RecordIndexes
    private let collection: Int64
    private let limit: Int
    private(set) var faults: [String] = []

    init(_ indexes: [DerivedTable], _ rules: RecordIndexes, collection: Int64, limit: Int) {
        self.indexes = indexes
        self.rules = rules
        self.collection = collection
        self.limit = limit
    }

    /// Looks up each key of each row.
    mutating func findMissing(_ database: DatabaseConnection) throws(DatabaseError) {
        var lookups: [DatabaseStatement] = []
        for index in self.indexes {
            lookups.append(
                try database.statement("SELECT 1 FROM \(index.entries) WHERE key = ?1 AND pk = ?2 AND record = ?3"))
        }
        let rows = try database.statement("SELECT id, \(StoredRecord.columnList) FROM record WHERE collection = ?1")
        try rows.bind(1, self.collection)
        while try rows.step() {
            var columns = ColumnReader(rows)
            let (row, record) = (try columns.integer(), try StoredRecord(&columns))
            for (number, keys) in self.rules.entries(of: record).enumerated() {
                let index = self.indexes[number]
                for key in keys where index.has(row) {
                    try lookups[number].bind(1, key)
                    try lookups[number].bind(2, record.pk)
                    try lookups[number].bind(3, row)
                    let found = try lookups[number].rows { (columns) throws(DatabaseError) in try columns.integer() }
                    if found.isEmpty { self.note("“\(record.pk)” is missing in the index \(index.index)") }
                }
            }
            guard self.faults.count < self.limit else { return rows.reset() }
        }
    }

    /// Computes the keys of the row of each entry.
    mutating func findStray(_ database: DatabaseConnection) throws(DatabaseError) {
        for (number, index) in self.indexes.enumerated() {
            let entries = try database.statement(
                """
                SELECT entry.key, entry.pk, record.collection, record.id, \(Self.recordColumns)
                FROM \(index.entries) AS entry LEFT JOIN record ON record.id = entry.record
                """)
            while try entries.step() {
                guard self.faults.count < self.limit else { return entries.reset() }
                let (key, pk) = (try entries.bytes(0), try entries.text(1))
                if try entries.int64OrNull(2) == self.collection, try self.has(number, key, pk, entries) { continue }
                self.note("the index \(index.index) has an entry of “\(pk)” that does not belong to the record")
            }
        }
    }

    /// Whether the row of an entry has its pk and its key.
    private func has(
        _ number: Int, _ key: [UInt8], _ pk: String, _ entries: DatabaseStatement
    ) throws(DatabaseError) -> Bool {
        var columns = ColumnReader(entries, from: 3)
        let (row, record) = (try columns.integer(), try StoredRecord(&columns))
        return record.pk.utf8.elementsEqual(pk.utf8) && self.indexes[number].has(row)
            && self.rules.entries(of: record)[number].contains(key)
    }

    private static let recordColumns =
        StoredRecord.Column.all.map { "record.\($0.rawValue)" }.joined(separator: ", ")

    private mutating func note(_ fault: String) {
        if self.faults.count < self.limit { self.faults.append(fault) }
    }
}
