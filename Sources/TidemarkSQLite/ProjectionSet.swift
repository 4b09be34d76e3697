import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules

/// The projections of an open store.
final class ProjectionSet {
    /// A projection with its tables.
    struct Member {
        let projection: any Projection
        let tables: ProjectionTables
    }

    /// A projection with its status in the file.
    struct Part {
        let member: Member
        let table: DerivedTable
    }

    private let members: [Member]

    /// Whether the store was opened with a list of projections.
    private let isWholeList: Bool
    private let database: DatabaseConnection
    private let derived: DerivedTables

    /// For ``SyncClient/readTables(of:_:)``.
    private let reader: ProjectionTables

    /// Projections that failed since the store was opened, which are not tried again until the next opening.
    private var failedHere: Set<String> = []

    init(_ projections: [any Projection]?, _ derived: DerivedTables, on database: DatabaseConnection) {
        (self.database, self.derived) = (database, derived)
        self.reader = ProjectionTables("", on: database)
        self.isWholeList = projections != nil
        self.members = (projections ?? []).map {
            Member(projection: $0, tables: ProjectionTables(Self.table(of: $0.name), on: database))
        }
    }

    /// The collections of the projections.
    var collections: [String] { Set(self.members.map { CodePointString($0.projection.collection) }).map(\.value) }

    /// Whether a collection has a projection.
    func has(_ collection: String) -> Bool {
        self.members.contains { Self.same($0.projection.collection, collection) }
    }

    private static func table(of name: String) -> String { "app_\(name)" }

    private static func same(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

    /// Refuses names that can't be parts of a table's name, and those whose tables could be mixed up.
    static func check(_ projections: [any Projection]) throws(TidemarkError) {
        let names = projections.map(\.name)
        for (place, name) in names.enumerated() {
            let isName = name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789_".utf8.contains($0) }
            guard !name.isEmpty, isName else {
                throw TidemarkError(
                    .invalidName,
                    "“\(name)” is not the name of a projection: use lowercase letters a to z, digits and “_” only.")
            }
            for (other, second) in names.enumerated() where other != place {
                guard "\(name)_".utf8.starts(with: "\(second)_".utf8) else { continue }
                throw TidemarkError(
                    .invalidName,
                    """
                    The tables of the projections “\(name)” and “\(second)” could have the same names. Choose names that do \
                    not begin with each other.
                    """)
            }
        }
    }
}

// MARK: - Set up

extension ProjectionSet {
    /// Sets up the projections of a collection that are new, have another version, or failed before.
    ///
    /// - Parameter hasRecords: Whether the collection has records.
    func declare(_ collection: String, _ fingerprint: String, hasRecords: Bool) throws(DatabaseError) {
        for member in self.members where Self.same(member.projection.collection, collection) {
            if let table = try self.table(of: member), self.isCurrent(member, table, fingerprint),
                table.failure == nil || self.failedHere.contains(table.name)
            {
                continue
            }
            try self.setUp(member, fingerprint, builtTo: hasRecords ? 0 : nil)
        }
    }

    private func isCurrent(_ member: Member, _ table: DerivedTable, _ fingerprint: String) -> Bool {
        table.fingerprint == fingerprint && self.hasVersion(of: member, table)
    }

    private func hasVersion(of member: Member, _ table: DerivedTable) -> Bool {
        table.version == Int64(member.projection.version)
            && Self.same(table.collection, member.projection.collection)
    }

    private func setUp(_ member: Member, _ fingerprint: String, builtTo: Int64?) throws(DatabaseError) {
        let projection = member.projection
        try self.dropTables(of: projection.name)
        if let old = try self.table(of: member) { try self.derived.remove(old) }
        let table = try self.derived.add(
            .projection, projection.name, of: projection.collection, version: Int64(projection.version), fingerprint,
            builtTo: builtTo)
        try self.call(Part(member: member, table: table), for: .setUp) { (tables) in try projection.setUp(tables) }
    }

    /// Calls code of the projection. If it throws, the projection has failed, and nothing else.
    func call(
        _ part: Part, for use: ProjectionTables.Use, _ body: (ProjectionTables) throws -> Void
    ) throws(DatabaseError) {
        guard case .failure(let error) = try part.member.tables.use(for: use, body) else { return }
        try self.fail(part.table, because: (error as? TidemarkError)?.message ?? "\(error)")
    }

    private func fail(_ table: DerivedTable, because reason: String) throws(DatabaseError) {
        self.failedHere.insert(table.name)
        try self.derived.fail(table, because: reason)
    }

    /// Drops the tables of projections in the file that are not in the list with which the store was opened. Only for the owner of the
    /// store, within a transaction.
    func dropOthers() throws(DatabaseError) {
        guard self.isWholeList else { return }
        for table in try self.derived.all() where table.kind == .projection && self.member(of: table) == nil {
            try self.drop(table)
        }
    }

    private func drop(_ table: DerivedTable) throws(DatabaseError) {
        try self.dropTables(of: table.name)
        try self.derived.remove(table)
    }

    /// Drops the tables and views of a projection.
    private func dropTables(of name: String) throws(DatabaseError) {
        while let (type, table) = try self.firstTable(of: name) {
            let quoted = table.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
                .map { String(Substring($0)) }.joined(separator: "\"\"")
            try self.database.execute("DROP \(type) \"\(quoted)\"")
        }
    }

    /// The next table to drop. A virtual table comes first, since it drops its own tables.
    private func firstTable(of name: String) throws(DatabaseError) -> (type: String, name: String)? {
        let statement = try self.database.statement(
            """
            SELECT type, name FROM sqlite_schema
            WHERE type IN ('table', 'view') AND (lower(name) = ?1 OR lower(name) GLOB ?1 || '_*')
            ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC LIMIT 1
            """, binding: Self.table(of: name))
        return try statement.rows { (columns) throws(DatabaseError) in (try columns.text(), try columns.text()) }.first
    }
}

// MARK: - Records

extension ProjectionSet {
    private func member(of table: DerivedTable) -> Member? {
        self.members.first { $0.projection.name == table.name }
    }

    private func table(of member: Member) throws(DatabaseError) -> DerivedTable? {
        try self.derived.all().first { $0.kind == .projection && $0.name == member.projection.name }
    }

    /// The tables of the projections of a collection, as they are declared.
    func tables(in collection: String, _ declared: DeclaredIndexes) throws(DatabaseError) -> [DerivedTable] {
        try self.derived.all(.projection, in: collection).filter { table in
            self.member(of: table).map { self.isCurrent($0, table, declared.fingerprint) } ?? false
        }
    }

    private func parts(_ tables: [DerivedTable]) -> [Part] {
        tables.compactMap { table in self.member(of: table).map { Part(member: $0, table: table) } }
    }

    /// The follower that adds rows to tables.
    func builder(of tables: [DerivedTable]) -> ProjectionFollower {
        ProjectionFollower(self, self.parts(tables), isBuilding: true)
    }

    /// The follower of changed rows of a collection, which is nil if no projection needs it, and the tables of projections that are
    /// not known here.
    ///
    /// - Parameters:
    ///   - declared: How views are computed; nil if no client declared the collection.
    ///   - isFirstPage: Whether a page is written to a collection without records. Its rows are added later, in slices.
    func follower(
        of collection: String, _ declared: DeclaredIndexes?, isFirstPage: () throws(DatabaseError) -> Bool
    ) throws(DatabaseError) -> (ProjectionFollower?, unknown: [DerivedTable]) {
        let tables = try self.derived.all(.projection, in: collection).filter { $0.failure == nil }
        if tables.contains(where: { $0.builtTo != 0 }), try isFirstPage() { try self.derived.advance(tables, to: 0) }
        var (current, unknown): ([DerivedTable], [DerivedTable]) = ([], [])
        for table in tables {
            if let member = self.member(of: table), let declared, self.isCurrent(member, table, declared.fingerprint) {
                current.append(table)
            } else {
                unknown.append(table)
            }
        }
        let isNeeded = current.contains { $0.builtTo != 0 }
        return (isNeeded ? ProjectionFollower(self, self.parts(current)) : nil, unknown)
    }

    /// Writes the present content of a record with a debt to a table; nil removes the record.
    func correct(_ table: DerivedTable, _ pk: String, to content: JSON?) throws(DatabaseError) {
        for part in self.parts([table]) where table.failure == nil {
            try self.call(part, for: .update) { (tables) in
                try part.member.projection.update(pk, to: content, in: tables)
            }
        }
    }

    /// Empties the tables of an erased collection.
    func erase(_ collection: String) throws(DatabaseError) {
        for table in try self.derived.all(.projection, in: collection) {
            if let member = self.member(of: table), Self.same(member.projection.collection, collection) {
                try self.setUp(member, table.fingerprint, builtTo: nil)
            } else {
                try self.drop(table)
            }
        }
    }

    /// Drops all tables.
    func eraseAll() throws(DatabaseError) {
        for table in try self.derived.all() where table.kind == .projection { try self.drop(table) }
    }
}

// MARK: - Reading

extension ProjectionSet {
    /// Reads tables.
    ///
    /// - Parameter name: The projection that must be complete; nil for all.
    func read<Value>(_ name: String?, _ body: (ProjectionTables) throws -> Value) throws -> Value {
        let asked = self.members.filter { name == nil || $0.projection.name == name }
        guard !asked.isEmpty else {
            let given = name.map { "was opened without the projection “\($0)”" } ?? "was opened without projections"
            throw TidemarkError(
                .projectionIncomplete, "The store \(given). Give it when you open the store: .sqlite(at:projections:).")
        }
        for member in asked { try self.requireComplete(member) }
        return try self.reader.use(for: .read, body).get()
    }

    private func requireComplete(_ member: Member) throws {
        let (name, table) = (member.projection.name, try self.table(of: member))
        if let failure = table?.failure {
            throw TidemarkError(
                .projectionIncomplete,
                """
                The tables of the projection “\(name)” are wrong: \(failure) They are built again when the store is opened \
                the next time.
                """)
        }
        guard let table, self.hasVersion(of: member, table), table.debts == 0 else {
            throw TidemarkError(
                .projectionIncomplete,
                """
                The tables of the projection “\(name)” are missing, of another version, or without the changes of a program \
                that does not know them. The client that owns the store corrects that when it opens the store the next time.
                """)
        }
        guard table.builtTo == nil else {
            throw TidemarkError(
                .projectionIncomplete,
                """
                The tables of the projection “\(name)” are not complete yet. The next sync completes them; without a network, \
                buildIndexes() of the collection “\(member.projection.collection)” does.
                """)
        }
    }
}
