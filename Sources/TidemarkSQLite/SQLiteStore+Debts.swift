import TidemarkCore
import TidemarkDatabase
import TidemarkRules

extension SQLiteStore {
    /// Writes the records with a debt to the tables that are known here: as they are now, since the contents of a table depend on the
    /// present rows alone.
    func payDebts(in collection: String, _ declared: DeclaredIndexes) throws(DatabaseError) {
        let indexes = try self.declaredIndexes(in: collection) ?? []
        let tables = indexes + (try self.projections.tables(in: collection, declared))
        for table in tables where table.debts > 0 {
            let pks = try self.derived.debts(in: table)
            switch table.kind {
            case .index: try self.correct(table, pks, of: collection, declared)
            case .projection:
                for pk in pks {
                    let row = try self.row(pk, in: collection, of: table)
                    let content = row.flatMap { declared.rules.content(of: $0.record)?.value }
                    try self.projections.correct(table, pk, to: content)
                }
            }
            try self.derived.clearDebts(of: table)
        }
    }

    /// Replaces the entries of records. Their old keys are unknown, so the index is read once as a whole: only another version of the
    /// code leaves a debt in an index.
    private func correct(
        _ index: DerivedTable, _ pks: [String], of collection: String, _ declared: DeclaredIndexes
    ) throws(DatabaseError) {
        let sql = "DELETE FROM \(index.entries) WHERE pk IN (SELECT pk FROM debt WHERE derived = ?1)"
        try self.database.statement(sql, binding: index.id).run()
        let follower = IndexFollower([index], declared, on: self.database, isBuilding: true)
        let followers = RowFollowers(list: [follower], declared: declared)
        for pk in pks {
            guard let row = try self.row(pk, in: collection, of: index) else { continue }
            try followers.follow(row.id, of: pk, from: .none, to: .record(row.record))
        }
        try followers.flush()
    }

    /// The row of a record, unless the table is not built up to it: then the builder adds it.
    private func row(
        _ pk: String, in collection: String, of table: DerivedTable
    ) throws(DatabaseError) -> KnownRows.Row? {
        guard let id = try self.collectionID(collection), let row = try self.row(pk, of: id), table.has(row.id) else {
            return nil
        }
        return row
    }
}
