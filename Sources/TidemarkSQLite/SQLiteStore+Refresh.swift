public import TidemarkCore
import TidemarkDatabase
public import TidemarkRules

extension SQLiteStore {
    /// Applies the rows of a page to every record without a local change.
    ///
    /// The bytes are passed from the page to SQLite directly: no string, array or tree is made for a row (Contract §9).
    public func refresh(
        _ page: FeedPage, in collection: String, resyncGeneration: Int64
    ) throws(TidemarkError) -> PageOutcome {
        try self.write { () throws(DatabaseError) in
            // The page also writes `resync_generation` and `name` of rows that it leaves unchanged otherwise.
            if !page.rows.isEmpty { self.known.forgetAll() }
            let id = try self.knownCollectionID(collection)
            let followers = page.rows.isEmpty ? nil : try self.followers(of: collection, page: id)
            let refresh = try PageRefresh(
                page, of: id, resyncGeneration: resyncGeneration, on: self.database, followers)
            let outcome = try refresh.run()
            self.figures.add(synced: refresh.added, in: id)
            return outcome
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

    /// The followers of the rows; nil if the collection has none.
    private let followers: RowFollowers?

    /// Finds the SYNCD row of the pk ?2, which a row of the page may replace or remove, for the followers.
    private let finding: DatabaseStatement?
    private var outcome = PageOutcome(changed: [], left: [])

    /// The number of records that were inserted, minus those that were removed.
    private(set) var added = 0

    init(
        _ page: FeedPage, of collection: Int64, resyncGeneration: Int64, on database: DatabaseConnection,
        _ followers: RowFollowers?
    ) throws(DatabaseError) {
        self.page = page
        self.followers = followers
        self.finding = try followers.map { _ throws(DatabaseError) in
            try database.statement("SELECT id, data FROM record WHERE collection = ?1 AND pk = ?2 AND state = 'SYNCD'")
        }
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
        for statement in [self.putting, self.removing, self.looking, self.marking, self.finding] {
            try statement?.bind(1, collection)
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
        try self.followers?.flush()
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
        let old = unsafe try self.find(index, in: bytes)
        self.database.clearLastInsertRowID()
        try change.run()
        let isAdded = self.database.lastInsertRowID != 0
        if isAdded || self.database.changes > 0 {
            self.outcome.changed.append(index)
            self.added += row.isTombstone ? -1 : isAdded ? 1 : 0
            if let followers { unsafe try self.follow(index, in: bytes, from: old, followers) }
        } else {
            unsafe try self.takeUnchanged(index, from: bytes)
        }
        if !row.name.isEmpty, !row.isTombstone { unsafe try self.name(index, in: bytes) }
    }

    /// The SYNCD row before its change; nil if there is none, or no follower needs it.
    private func find(
        _ index: Int, in bytes: UnsafeRawBufferPointer
    ) throws(DatabaseError) -> (row: Int64, data: [UInt8]?)? {
        guard let finding else { return nil }
        unsafe try self.bindPK(of: index, in: bytes, to: finding)
        guard try finding.step() else { return nil }
        defer { finding.reset() }
        return (try finding.int64(0), try finding.bytesOrNull(1))
    }

    /// Reports a changed row with another payload to the followers.
    private func follow(
        _ index: Int, in bytes: UnsafeRawBufferPointer, from old: (row: Int64, data: [UInt8]?)?,
        _ followers: RowFollowers
    ) throws(DatabaseError) {
        let row = self.page.rows[index]
        let data = row.isTombstone ? nil : self.page.bytes[row.data]
        if let data, let former = old?.data, former[...] == data { return }
        try followers.follow(
            old?.row ?? self.database.lastInsertRowID,
            of: unsafe self.decodedPK(of: index, in: bytes) ?? self.page.pk(of: row),
            from: old.map { .payload($0.data?[...]) } ?? .none, to: data.map { .payload($0) } ?? .none)
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
