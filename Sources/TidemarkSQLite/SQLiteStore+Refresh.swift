public import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
public import TidemarkRules

extension SQLiteStore {
    /// Applies the rows of a page to every record without a local change.
    ///
    /// The bytes are passed from the page to SQLite directly: no string, array or tree is made for a row (SPEC §9).
    public func refresh(
        _ page: FeedPage, in collection: String, resyncGeneration: Int64
    ) throws(TidemarkError) -> PageOutcome {
        try self.write { () throws(DatabaseError) in
            // The page also writes `resync_generation` and `name` of rows that it leaves unchanged otherwise.
            if !page.rows.isEmpty { self.known.forgetAll() }
            let id = try self.knownCollectionID(collection)
            let writers: PageRefresh.Writers? =
                page.rows.isEmpty
                ? nil : (try self.indexWriter(ofPageIn: id), try self.projectionWriter(ofPageIn: collection, id))
            let refresh = try PageRefresh(
                page, of: id, resyncGeneration: resyncGeneration, on: self.database, writers: writers)
            return try refresh.run()
        }
    }
}

/// Applies one page to a collection.
private final class PageRefresh {
    private let page: FeedPage
    private let collection: Int64
    private let resyncGeneration: Int64
    private let database: DatabaseConnection
    private let putting: DatabaseStatement
    private let removing: DatabaseStatement
    private let looking: DatabaseStatement
    private let marking: DatabaseStatement

    typealias Writers = (entries: IndexWriter?, tables: ProjectionWriter?)

    /// The writers of indexes and projections, which follow the rows of the collection; nil if it has neither.
    private let followers: RowFollowers?
    private var outcome = PageOutcome(changed: [], left: [])

    init(
        _ page: FeedPage, of collection: Int64, resyncGeneration: Int64, on database: DatabaseConnection,
        writers: Writers?
    ) throws(DatabaseError) {
        self.page = page
        self.followers =
            if let writers, writers.entries != nil || writers.tables != nil {
                try RowFollowers(writers, of: collection, on: database)
            } else { nil }
        self.collection = collection
        self.resyncGeneration = resyncGeneration
        self.database = database
        // A row that is equal to the stored one writes nothing, so that the page of the file stays clean.
        self.putting = try database.statement(
            """
            INSERT INTO record (collection, pk, state, resync_generation, version, data)
            VALUES (?1, ?2, 'SYNCD', ?3, ?4, ?5)
            ON CONFLICT (collection, pk) DO UPDATE
            SET resync_generation = excluded.resync_generation, version = excluded.version, data = excluded.data
            WHERE state = 'SYNCD' AND (version IS NOT excluded.version OR data IS NOT excluded.data)
            """)
        self.removing = try database.statement(
            "DELETE FROM record WHERE collection = ?1 AND pk = ?2 AND state = 'SYNCD'")
        self.looking = try database.statement(
            "SELECT state = 'SYNCD', resync_generation FROM record WHERE collection = ?1 AND pk = ?2")
        self.marking = try database.statement(
            "UPDATE record SET resync_generation = ?3 WHERE collection = ?1 AND pk = ?2")
        for statement in [self.putting, self.removing, self.looking, self.marking] {
            try statement.bind(1, collection)
        }
        try self.putting.bind(3, self.resyncGeneration)
        try self.marking.bind(3, self.resyncGeneration)
    }

    func run() throws(DatabaseError) -> PageOutcome {
        unsafe try self.page.bytes.withUnsafeBufferPointer { (bytes) throws(DatabaseError) in
            let bytes = UnsafeRawBufferPointer(bytes)
            let order = unsafe PageOrder(of: self.page.rows, in: bytes)
            for position in self.page.rows.indices {
                unsafe try self.take(order[position], from: bytes)
            }
        }
        try self.followers?.writers.entries?.write()
        self.outcome.changed.sort()
        self.outcome.left.sort()
        self.outcome.contested.sort()
        return self.outcome
    }

    private func take(_ index: Int, from bytes: UnsafeRawBufferPointer) throws(DatabaseError) {
        let row = self.page.rows[index]
        if !row.name.isEmpty, unsafe try !self.findByName(index, in: bytes) { return }
        let change = row.isTombstone ? self.removing : self.putting
        unsafe try self.bindPK(of: index, in: bytes, to: change)
        if !row.isTombstone {
            unsafe try self.putting.bind(4, text: UnsafeRawBufferPointer(rebasing: bytes[row.version]))
            unsafe try self.putting.bind(5, bytes: UnsafeRawBufferPointer(rebasing: bytes[row.data]))
        }
        if let followers {
            unsafe try self.bindPK(of: index, in: bytes, to: followers.finding)
            try followers.find()
        }
        try change.run()
        if self.database.changes > 0 {
            self.outcome.changed.append(index)
            if let followers { unsafe try self.follow(index, in: bytes, followers) }
        } else {
            unsafe try self.takeUnchanged(index, from: bytes)
        }
        if !row.name.isEmpty, !row.isTombstone { unsafe try self.name(index, in: bytes) }
    }

    /// Writes what depends on a changed row.
    private func follow(
        _ index: Int, in bytes: UnsafeRawBufferPointer, _ followers: RowFollowers
    ) throws(DatabaseError) {
        let row = self.page.rows[index]
        let data = row.isTombstone ? nil : self.page.bytes[row.data]
        guard let number = followers.row(after: data) else { return }
        unsafe self.withPK(of: index, in: bytes) { pk in unsafe followers.changeEntries(number, pk, to: data) }
        try followers.writers.tables?.change(
            number, unsafe self.decodedPK(of: index, in: bytes) ?? self.page.pk(of: row), to: data)
    }

    /// A row with a name that the server made is about the record with this name, whatever its pk.
    ///
    /// - Returns: Whether the row can be applied; false if the record with its pk has another name.
    private func findByName(_ index: Int, in bytes: UnsafeRawBufferPointer) throws(DatabaseError) -> Bool {
        let row = self.page.rows[index]
        guard let name = self.page.name(of: row) else { return true }
        let finding = try self.database.statement(
            "SELECT pk FROM record WHERE collection = ?1 AND name = ?2 ORDER BY pk LIMIT 1")
        try finding.bind(1, self.collection)
        try finding.bind(2, name)
        guard try finding.step() else { return unsafe try !self.isContested(index, in: bytes) }
        let pk = try finding.text(0)
        finding.reset()
        if !pk.utf8.elementsEqual(self.page.pk(of: row).utf8) { self.outcome.pks[index] = pk }
        return true
    }

    private func isContested(_ index: Int, in bytes: UnsafeRawBufferPointer) throws(DatabaseError) -> Bool {
        let looking = try self.database.statement(
            "SELECT 1 FROM record WHERE collection = ?1 AND pk = ?2 AND name IS NOT NULL")
        try looking.bind(1, self.collection)
        unsafe try self.bindPK(of: index, in: bytes, to: looking)
        guard try looking.step() else { return false }
        looking.reset()
        if !self.page.rows[index].isTombstone { self.outcome.contested.append(index) }
        return true
    }

    /// Stores the name of a row.
    private func name(_ index: Int, in bytes: UnsafeRawBufferPointer) throws(DatabaseError) {
        let naming = try self.database.statement(
            "UPDATE record SET name = ?3 WHERE collection = ?1 AND pk = ?2 AND name IS NOT ?3")
        try naming.bind(1, self.collection)
        unsafe try self.bindPK(of: index, in: bytes, to: naming)
        try naming.bind(3, self.page.name(of: self.page.rows[index]))
        try naming.run()
    }

    /// The record is absent (and the row a tombstone), has local changes, or equals the row.
    private func takeUnchanged(
        _ index: Int, from bytes: UnsafeRawBufferPointer
    ) throws(DatabaseError) {
        unsafe try self.bindPK(of: index, in: bytes, to: self.looking)
        guard try self.looking.step() else { return }
        let isSynced = try self.looking.int64(0) != 0
        let generation = try self.looking.int64(1)
        self.looking.reset()
        if generation != self.resyncGeneration {
            unsafe try self.bindPK(of: index, in: bytes, to: self.marking)
            try self.marking.run()
        }
        if !isSynced {
            self.outcome.left.append(index)
        }
    }

    private func bindPK(
        of index: Int, in bytes: UnsafeRawBufferPointer, to statement: DatabaseStatement
    ) throws(DatabaseError) {
        if let pk = unsafe self.decodedPK(of: index, in: bytes) { return try statement.bind(2, pk) }
        unsafe try statement.bind(2, text: self.pkText(of: index, in: bytes))
    }

    private func withPK(of index: Int, in bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        if var pk = unsafe self.decodedPK(of: index, in: bytes) {
            pk.withUTF8 { unsafe body(UnsafeRawBufferPointer($0)) }
        } else {
            unsafe body(self.pkText(of: index, in: bytes))
        }
    }

    /// The pk of a row, if it is not the text in the page.
    private func decodedPK(of index: Int, in bytes: UnsafeRawBufferPointer) -> String? {
        let row = self.page.rows[index]
        if !row.name.isEmpty, let pk = self.outcome.pks[index] { return pk }
        return unsafe self.pkText(of: index, in: bytes).contains(UInt8(ascii: "\\")) ? self.page.pk(of: row) : nil
    }

    private func pkText(of index: Int, in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes[self.page.rows[index].pk.dropFirst().dropLast()])
    }
}

/// Keeps the entries of the rows of a page, and the tables of the app.
private final class RowFollowers {
    /// Finds the SYNCD row of the pk ?2, which a row of the page may replace or remove.
    let finding: DatabaseStatement
    let writers: PageRefresh.Writers
    private let database: DatabaseConnection
    private var old: (row: Int64, data: [UInt8]?)?

    init(
        _ writers: PageRefresh.Writers, of collection: Int64, on database: DatabaseConnection
    ) throws(DatabaseError) {
        self.writers = writers
        self.database = database
        self.finding = try database.statement(
            "SELECT id, data FROM record WHERE collection = ?1 AND pk = ?2 AND state = 'SYNCD'")
        try self.finding.bind(1, collection)
    }

    /// Reads the row before its change.
    func find() throws(DatabaseError) {
        self.old = nil
        guard try self.finding.step() else { return }
        self.old = (try self.finding.int64(0), try self.finding.bytesOrNull(1))
        self.finding.reset()
    }

    /// The number of the row after its change; nil if its content is as before.
    ///
    /// - Parameter data: The payload of the changed or inserted row; nil if it was removed.
    func row(after data: ArraySlice<UInt8>?) -> Int64? {
        if let data, let old = self.old?.data, old[...] == data { return nil }
        return self.old?.row ?? self.database.lastInsertRowID
    }

    /// Collects the entries that differ after the change of the row.
    func changeEntries(_ row: Int64, _ pk: UnsafeRawBufferPointer, to data: ArraySlice<UInt8>?) {
        unsafe self.writers.entries?.change(
            row, pk: pk,
            from: self.old.map { old in IndexedContent(value: old.data.flatMap { try? JSON(parsing: $0) }) },
            to: data.map { IndexedContent(value: try? JSON(parsing: $0)) })
    }
}
