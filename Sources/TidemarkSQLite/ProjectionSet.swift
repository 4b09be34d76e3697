import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules

/// The projections of an open store, and those in its file.
///
/// A projection is described by a row of the table `projection`. Its tables are complete if `built_to` is null; otherwise rows
/// with a larger number are not in them yet. With a `failure` they are wrong, and are neither updated nor read.
final class ProjectionSet {
    /// A projection with its tables.
    struct Member {
        let projection: any Projection
        let tables: ProjectionTables
    }

    /// The status of a projection in the file.
    struct Status {
        var collection: String
        var version: Int64
        /// ``RecordIndexes/fingerprint`` of the views.
        var fingerprint: String
        var builtTo: Int64?
        var failure: String?

        var isComplete: Bool { self.failure == nil && self.builtTo == nil }

        /// Whether a row is in the tables.
        func has(_ row: Int64) -> Bool {
            self.failure == nil && (self.builtTo.map { row <= $0 } ?? true)
        }
    }

    private let members: [Member]
    private let database: DatabaseConnection

    /// For ``SyncClient/readTables(of:_:)``.
    private let reader: ProjectionTables

    /// By name; nil if they have to be read.
    private var statuses: [String: Status]?

    /// Projections that failed since the store was opened, which are not tried again until the next opening.
    private var failedHere: Set<String> = []

    init(_ projections: [any Projection], on database: DatabaseConnection) {
        self.database = database
        self.reader = ProjectionTables("", on: database)
        self.members = projections.map {
            Member(projection: $0, tables: ProjectionTables(Self.table(of: $0.name), on: database))
        }
    }

    /// The collections of the projections.
    var collections: [String] { Set(self.members.map { CodePointString($0.projection.collection) }).map(\.value) }

    /// Whether a collection has a projection.
    func has(_ collection: String) -> Bool {
        self.members.contains { Self.same($0.projection.collection, collection) }
    }

    /// Reads the statuses again at their next use: after a rollback.
    func forgetStatuses() { self.statuses = nil }

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
            let name = member.projection.name
            if let status = try self.all()[name], self.isCurrent(member, status, fingerprint),
                status.failure == nil || self.failedHere.contains(name)
            {
                continue
            }
            let status = Status(
                collection: collection, version: Int64(member.projection.version), fingerprint: fingerprint,
                builtTo: hasRecords ? 0 : nil)
            try self.setUp(member, status)
        }
    }

    private func isCurrent(_ member: Member, _ status: Status, _ fingerprint: String) -> Bool {
        status.version == Int64(member.projection.version) && status.fingerprint == fingerprint
            && Self.same(status.collection, member.projection.collection)
    }

    private func setUp(_ member: Member, _ status: Status) throws(DatabaseError) {
        try self.dropTables(of: member.projection.name)
        try self.save(status, of: member.projection.name)
        try self.call(member, for: .setUp) { (tables) in try member.projection.setUp(tables) }
    }

    /// Calls code of the projection. If it throws, the projection has failed.
    private func call(
        _ member: Member, for use: ProjectionTables.Use, _ body: (ProjectionTables) throws -> Void
    ) throws(DatabaseError) {
        guard case .failure(let error) = try member.tables.use(for: use, body) else { return }
        try self.fail(member.projection.name, (error as? TidemarkError)?.message ?? "\(error)")
    }

    private func fail(_ name: String, _ reason: String) throws(DatabaseError) {
        guard var status = try self.all()[name] else { return }
        status.failure = reason
        self.failedHere.insert(name)
        try self.save(status, of: name)
    }

    /// Drops the tables of projections in the file that the store was opened without.
    func dropOthers() throws(DatabaseError) {
        let known = Set(self.members.map(\.projection.name))
        let others = try self.all().keys.filter { !known.contains($0) }
        guard !others.isEmpty else { return }
        try self.database.transaction { () throws(DatabaseError) in
            for name in others.sorted() { try self.drop(name) }
        }
    }

    private func drop(_ name: String) throws(DatabaseError) {
        try self.dropTables(of: name)
        let statement = try self.database.statement("DELETE FROM projection WHERE name = ?1")
        try statement.bind(1, name)
        try statement.run()
        self.statuses?[name] = nil
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
            """)
        try statement.bind(1, Self.table(of: name))
        return try statement.rows { (columns) throws(DatabaseError) in (try columns.text(), try columns.text()) }.first
    }
}

// MARK: - Records

extension ProjectionSet {
    /// Whether the file has no projection, as most have none.
    func isEmpty() throws(DatabaseError) -> Bool { try self.all().isEmpty }

    /// The writer for a changed row of a collection; nil if no projection needs it.
    ///
    /// - Parameters:
    ///   - rules: How views are computed; nil if no client declared the collection.
    ///   - isFirstPage: Whether a page is written to a collection without records. Its rows are added later, in slices.
    func writer(
        of collection: String, _ rules: RecordIndexes?, isFirstPage: () throws(DatabaseError) -> Bool = { false }
    ) throws(DatabaseError) -> ProjectionWriter? {
        var current: [Member] = []
        for (name, status) in try self.all() where status.failure == nil && Self.same(status.collection, collection) {
            let member = self.members.first { $0.projection.name == name }
            if let member, let rules, self.isCurrent(member, status, rules.fingerprint) {
                current.append(member)
            } else {
                try self.fail(name, "another program, which does not know the projection, wrote to “\(collection)”")
            }
        }
        guard let rules, !current.isEmpty else { return nil }
        if try self.hasBuilt(current), try isFirstPage() {
            for member in current { try self.advance(member, to: 0) }
        }
        return try self.hasBuilt(current) ? ProjectionWriter(self, current, rules) : nil
    }

    /// Whether the tables of one of them may have rows.
    private func hasBuilt(_ members: [Member]) throws(DatabaseError) -> Bool {
        for member in members where try self.status(member)?.builtTo != 0 { return true }
        return false
    }

    /// Writes a row to the tables of a projection, unless it is left to the builder.
    func update(
        _ member: Member, row: Int64, _ pk: String, to content: JSON?
    ) throws(DatabaseError) {
        guard try self.status(member)?.has(row) == true else { return }
        try self.add(member, pk, content)
    }

    private func add(_ member: Member, _ pk: String, _ content: JSON?) throws(DatabaseError) {
        try self.call(member, for: .update) { (tables) in try member.projection.update(pk, to: content, in: tables) }
    }

    private func advance(_ member: Member, to place: Int64?) throws(DatabaseError) {
        guard var status = try self.status(member) else { return }
        status.builtTo = place
        try self.save(status, of: member.projection.name)
    }

    /// The projections of a collection to which rows are to be added.
    private func incomplete(in collection: String) throws(DatabaseError) -> [(member: Member, place: Int64)] {
        guard try !self.all().isEmpty else { return [] }
        var list: [(Member, Int64)] = []
        for member in self.members where Self.same(member.projection.collection, collection) {
            if let status = try self.status(member), status.failure == nil, let place = status.builtTo {
                list.append((member, place))
            }
        }
        return list
    }

    func isIncomplete(_ collection: String) throws(DatabaseError) -> Bool {
        try !self.incomplete(in: collection).isEmpty
    }

    /// Adds some rows to the tables that are not complete.
    ///
    /// - Parameter id: The number of the collection; nil if it has no records.
    /// - Returns: Whether there are more rows to add.
    func build(_ collection: String, _ id: Int64?, _ rules: RecordIndexes, limit: Int) throws(DatabaseError) -> Bool {
        let incomplete = try self.incomplete(in: collection)
        guard let place = incomplete.map(\.place).min() else { return false }
        let members = incomplete.filter { $0.place == place }.map(\.member)
        let rows = try self.database.statement(Self.slice)
        try rows.bind(1, id)
        try rows.bind(2, place)
        try rows.bind(3, Int64(limit))
        var (last, count) = (place, 0)
        while try rows.step() {
            (last, count) = (try rows.int64(0), count + 1)
            guard try rows.int64(1) != 0 else { continue }
            var columns = ColumnReader(rows, from: 2)
            let record = try StoredRecord(&columns)
            guard let content = rules.content(of: record)?.value else { continue }
            for member in members where try self.status(member)?.failure == nil {
                try self.add(member, record.pk, content)
            }
        }
        for member in members { try self.advance(member, to: count < limit ? nil : last) }
        return try self.isIncomplete(collection)
    }

    // Rows of other collections count, since they are passed as well; but not those before the collection's first one.
    private static let slice = """
        SELECT id, collection = ?1, \(StoredRecord.columnList) FROM record
        WHERE id > coalesce(nullif(?2, 0), (SELECT min(id) - 1 FROM record WHERE collection = ?1)) ORDER BY id LIMIT ?3
        """

    /// Empties the tables of an erased collection.
    func erase(_ collection: String) throws(DatabaseError) {
        for (name, var status) in try self.all() where Self.same(status.collection, collection) {
            guard let member = self.members.first(where: { $0.projection.name == name }) else {
                try self.drop(name)
                continue
            }
            (status.builtTo, status.failure) = (nil, nil)
            try self.setUp(member, status)
        }
    }

    /// Drops all tables.
    func eraseAll() throws(DatabaseError) {
        for name in try self.all().keys.sorted() { try self.drop(name) }
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
        let (name, status) = (member.projection.name, try self.status(member))
        guard status?.isComplete != true else { return }
        if let failure = status?.failure {
            throw TidemarkError(
                .projectionIncomplete,
                """
                The tables of the projection “\(name)” are wrong: \(failure) They are built again when the store is opened \
                the next time.
                """)
        }
        throw TidemarkError(
            .projectionIncomplete,
            """
            The tables of the projection “\(name)” are not complete yet. The next sync completes them; without a network, \
            buildIndexes() of the collection “\(member.projection.collection)” does.
            """)
    }
}

// MARK: - The status in the file

extension ProjectionSet {
    private func status(_ member: Member) throws(DatabaseError) -> Status? { try self.all()[member.projection.name] }

    private func all() throws(DatabaseError) -> [String: Status] {
        if let statuses { return statuses }
        let statement = try self.database.statement(
            "SELECT name, collection, version, fingerprint, built_to, failure FROM projection")
        let rows = try statement.rows { (columns) throws(DatabaseError) in
            (
                try columns.text(),
                Status(
                    collection: try columns.text(), version: try columns.integer(), fingerprint: try columns.text(),
                    builtTo: try columns.integerOrNull(), failure: try columns.textOrNull())
            )
        }
        let statuses = Dictionary(rows) { first, _ in first }
        self.statuses = statuses
        return statuses
    }

    private func save(_ status: Status, of name: String) throws(DatabaseError) {
        let statement = try self.database.statement(
            """
            INSERT OR REPLACE INTO projection (name, collection, version, fingerprint, built_to, failure)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """)
        try statement.bind(1, name)
        try statement.bind(2, status.collection)
        try statement.bind(3, status.version)
        try statement.bind(4, status.fingerprint)
        try statement.bind(5, status.builtTo)
        try statement.bind(6, status.failure)
        try statement.run()
        self.statuses?[name] = status
    }
}
