import TidemarkDatabase

/// Leaves a debt for each changed row in tables that this program does not know: those of a projection that it was opened without,
/// and indexes whose entries another version of the code makes. The next program that knows the tables pays (``SQLiteStore/payDebts(in:_:)``).
final class DebtFollower: RowFollower {
    private let derived: DerivedTables
    private let tables: [DerivedTable]

    init(_ tables: [DerivedTable], _ derived: DerivedTables) {
        (self.tables, self.derived) = (tables, derived)
    }

    func follow(_ change: inout RowChange) throws(DatabaseError) {
        // A table that is to be built from its beginning has no row yet, and so no wrong one.
        for table in self.tables where table.failure == nil && table.builtTo != 0 {
            guard try !self.derived.leaveDebt(change.pk, in: table) else { continue }
            switch table.kind {
            case .index: try self.derived.restart([table])
            case .projection:
                let reason = "another program, which does not know the projection, changed too many records."
                try self.derived.fail(table, because: reason)
            }
        }
    }

    func flush() {}
}
