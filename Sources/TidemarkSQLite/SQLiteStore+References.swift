package import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
package import TidemarkRules

// What the rows say about references, as rows of the table `reference`:
// - `added` and `removed`: a pending record, and a record that it names;
// - `missing`: a pending record that the server may not have, without a second one.
extension SQLiteStore: ReferenceStore {
    private enum Kind: String {
        case added, removed, missing
    }

    package func replaceReferences(
        of pk: String, in collection: String, by references: RecordReferences
    ) throws(TidemarkError) -> RecordReferences {
        try self.write { () throws(DatabaseError) in
            let former = try self.rows(of: pk, in: collection)
            guard former != references else { return former }
            func change(_ old: Set<RecordName>, _ new: Set<RecordName>, _ kind: Kind) throws(DatabaseError) {
                for name in old.subtracting(new) { try self.remove(kind, pk, collection, name) }
                for name in new.subtracting(old).sorted() { try self.add(kind, pk, collection, name) }
            }
            try change(former.added, references.added, .added)
            try change(former.removed, references.removed, .removed)
            if former.isMissing != references.isMissing {
                let none = RecordName(collection: "", pk: "")
                try references.isMissing
                    ? self.add(.missing, pk, collection, none) : self.remove(.missing, pk, collection, none)
            }
            return former
        }
    }

    package func references(of pk: String, in collection: String) throws(TidemarkError) -> RecordReferences {
        try self.read { () throws(DatabaseError) in try self.rows(of: pk, in: collection) }
    }

    package func recordsWithReferences(
        in collection: String, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [String] {
        try self.read { () throws(DatabaseError) in
            try self.database.statement(
                "SELECT DISTINCT pk FROM reference WHERE collection = ?1 AND pk > ?2 ORDER BY pk LIMIT ?3",
                binding: collection, pk ?? "", Int64(limit)
            ).rows { (columns) throws(DatabaseError) in try columns.text() }
        }
    }

    private func rows(of pk: String, in collection: String) throws(DatabaseError) -> RecordReferences {
        let statement = try self.database.statement(
            "SELECT kind, target, name FROM reference WHERE collection = ?1 AND pk = ?2", binding: collection, pk)
        var references = RecordReferences()
        while try statement.step() {
            var columns = ColumnReader(statement)
            let (text, name) = (
                try columns.text(), RecordName(collection: try columns.text(), pk: try columns.text())
            )
            guard let kind = Kind(rawValue: text) else { throw DatabaseError(unknown: text, of: "kind of a reference") }
            switch kind {
            case .added: references.added.insert(name)
            case .removed: references.removed.insert(name)
            case .missing: references.isMissing = true
            }
        }
        return references
    }

    private func add(
        _ kind: Kind, _ pk: String, _ collection: String, _ name: RecordName
    ) throws(DatabaseError) {
        try self.database.statement(
            "INSERT INTO reference (collection, pk, kind, target, name) VALUES (?1, ?2, ?3, ?4, ?5)",
            binding: collection, pk, kind.rawValue, name.collection.value, name.pk.value
        ).run()
    }

    private func remove(
        _ kind: Kind, _ pk: String, _ collection: String, _ name: RecordName
    ) throws(DatabaseError) {
        try self.database.statement(
            """
            DELETE FROM reference
            WHERE collection = ?1 AND pk = ?2 AND kind = ?3 AND target = ?4 AND name = ?5
            """, binding: collection, pk, kind.rawValue, name.collection.value, name.pk.value
        ).run()
    }

    package func eraseReferences() throws(TidemarkError) {
        try self.write { () throws(DatabaseError) in try self.database.execute("DELETE FROM reference") }
    }

    // MARK: Waiting

    /// Whether the record of an alias, in the collection of an alias, names a record that the server may not have.
    private static func waitsForParent(_ collection: String, _ pk: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM reference a CROSS JOIN reference m
            WHERE a.collection = \(collection) AND a.pk = \(pk) AND a.kind = 'added'
                AND m.collection = a.target AND m.pk = a.name AND m.kind = 'missing')
        """
    }

    /// Whether the record `r` of the collection ?3 waits, as far as two rows show it.
    private static let waits = """
        (\(SQLiteStore.waitsForParent("?3", "r.pk"))
        OR (r.state = 'DELETED' AND EXISTS (
            SELECT 1 FROM reference c WHERE c.target = ?3 AND c.name = r.pk AND c.kind = 'removed'
                AND NOT \(SQLiteStore.waitsForParent("c.collection", "c.pk")))))
        """

    /// Whether the record `r` of the collection ?3 may wait.
    private static let mayWait = """
        (\(SQLiteStore.waitsForParent("?3", "r.pk"))
        OR (r.state = 'DELETED' AND EXISTS (
            SELECT 1 FROM reference c WHERE c.target = ?3 AND c.name = r.pk AND c.kind = 'removed')))
        """

    package static let readyRecords = """
        SELECT \(numbered) FROM record r
        WHERE collection = ?1 AND activity = 'idle' AND sequence > ?4 AND NOT \(waits)
        ORDER BY sequence, pk LIMIT ?2
        """

    package func recordsToSend(
        in collection: String, after sequence: Int64, limit: Int
    ) throws(TidemarkError) -> [StoredRecord] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [] }
            let statement = try self.database.statement(
                Self.readyRecords, binding: id, Int64(limit), collection, sequence)
            return try self.readRows(statement, of: id)
        }
    }

    package func waitingRecords(
        in collection: String, areAwaited: Bool, limit: Int
    ) throws(TidemarkError) -> [String] {
        let awaited = """
            AND EXISTS (
                SELECT 1 FROM reference o WHERE o.target = ?3 AND o.name = r.pk AND o.kind = 'added'
                UNION ALL SELECT 1 FROM reference o WHERE o.collection = ?3 AND o.pk = r.pk AND o.kind = 'removed')
            """
        return try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [] }
            let statement = try self.database.statement(
                """
                SELECT pk FROM record r WHERE collection = ?1 AND activity = 'idle' AND \(Self.mayWait)
                \(areAwaited ? awaited : "") ORDER BY sequence, pk LIMIT ?2
                """, binding: id, Int64(limit), collection)
            return try statement.rows { (columns) throws(DatabaseError) in try columns.text() }
        }
    }

    package func waits(
        of pk: String, in collection: String, limit: Int
    ) throws(TidemarkError) -> [RecordWait] {
        try self.read { () throws(DatabaseError) in
            guard let id = try self.collectionID(collection) else { return [] }
            let parents = try self.database.statement(
                """
                SELECT a.target, a.name FROM reference a CROSS JOIN reference m
                WHERE a.collection = ?1 AND a.pk = ?2 AND a.kind = 'added'
                    AND m.collection = a.target AND m.pk = a.name AND m.kind = 'missing'
                ORDER BY a.target, a.name LIMIT ?3
                """, binding: collection, pk, Int64(limit))
            let children = try self.database.statement(
                """
                SELECT c.collection, c.pk FROM reference c
                WHERE c.target = ?1 AND c.name = ?2 AND c.kind = 'removed'
                    AND EXISTS (SELECT 1 FROM record r WHERE r.collection = ?4 AND r.pk = ?2 AND r.state = 'DELETED')
                ORDER BY c.collection, c.pk LIMIT ?3
                """, binding: collection, pk, Int64(limit), id)
            return try Self.names(parents).map { RecordWait(.parent, $0) }
                + Self.names(children).map { RecordWait(.child, $0) }
        }
    }

    private static func names(_ statement: DatabaseStatement) throws(DatabaseError) -> [RecordName] {
        try statement.rows { (columns) throws(DatabaseError) in
            RecordName(collection: try columns.text(), pk: try columns.text())
        }
    }

    package func hasRemovedNames(in collection: String) throws(TidemarkError) -> Bool {
        try self.read { () throws(DatabaseError) in
            let statement = try self.database.statement(
                "SELECT 1 FROM reference WHERE target = ?1 AND kind = 'removed' LIMIT 1", binding: collection)
            return try !statement.rows { (columns) throws(DatabaseError) in try columns.integer() }.isEmpty
        }
    }

    package func records(
        adding name: RecordName, in collection: String, limit: Int
    ) throws(TidemarkError) -> [String] {
        try self.read { () throws(DatabaseError) in
            try self.database.statement(
                """
                SELECT pk FROM reference
                WHERE target = ?1 AND name = ?2 AND kind = 'added' AND collection = ?3 ORDER BY pk LIMIT ?4
                """, binding: name.collection.value, name.pk.value, collection, Int64(limit)
            ).rows { (columns) throws(DatabaseError) in try columns.text() }
        }
    }
}
