public import TidemarkCore
package import TidemarkDatabase
import TidemarkJSON
public import TidemarkRules

/// A store in one SQLite file. It survives a power failure.
///
/// ```swift
/// let client = try SyncClient(store: .sqlite(at: "phone.db"), remote: .http(url, token: token))
/// ```
///
/// - Every transaction is on disk when it returns: write-ahead log, `synchronous=FULL` (Contract §3.2).
/// - The file is locked while the store is open. Another client, in this process or in another, gets
///   ``TidemarkError/Code/storeBusy`` at once: share one client, or close the other one. A crash releases the lock. To wait
///   for the store, make the client with `SyncClient.open`.
/// - If the file is deleted, moved or replaced while the store is open, every transaction throws
///   ``TidemarkError/Code/storeUnavailable`` and saves nothing; reads continue from the file that was opened.
/// - A file of another kind, of a newer version, damaged or write-protected is refused and not changed.
/// - A full disk (``TidemarkError/Code/storeFull``) rolls the transaction back; earlier data is kept.
///
/// The folder must be on a local disk. The `-wal` file next to it belongs to the store: after a crash it contains the
/// last transactions. While the store is open it grows to 16 MiB, or to the size of the largest transaction.
public final class SQLiteStore: RecordStore {
    /// The mark of a store in the file's header.
    package static let applicationID = DatabaseOwner.client.rawValue

    package let database: DatabaseConnection

    /// The claim of the file within this process; nil in memory.
    private let claim: DatabaseClaim?

    /// Watches the file; nil in memory.
    private var file: SQLiteStoreFile?

    /// By which clients ask each other for the file; nil in memory.
    package let turns: StoreTurns?

    /// Whether the file and its log are as they were when the store was suspended.
    package let isUnchanged: Bool

    /// How the store is opened again after ``suspend()``.
    private let opening: Opening

    /// The arguments of an initializer.
    private struct Opening {
        let location: DatabaseLocation
        let projections: [any Projection]?
        let takesTurns: Bool
    }

    private(set) var isInTransaction = false
    private var failure: TidemarkError?
    private var collectionIDs: [CodePointString: Int64] = [:]
    private var wasErased = false
    private var insertedCount = 0

    /// A cache of rows.
    var known = KnownRows()

    /// What a status needs of the collections.
    var figures = StatusFigures()

    /// How the contents of a collection's derived tables are made, as a client declared it.
    var declared: [CodePointString: DeclaredIndexes] = [:]

    /// The indexes and projections in the file.
    let derived: DerivedTables

    /// The projections of the app.
    let projections: ProjectionSet

    /// Statements that update some columns of a row, by these columns: the same few are used all the time.
    private var updates: [StoredRecord.Columns: DatabaseStatement] = [:]

    /// Statements that insert a row with some columns.
    private var insertions: [StoredRecord.Columns: DatabaseStatement] = [:]

    /// The statement that looks up a record, which is used as often.
    private var lookup: DatabaseStatement?

    /// Opens the store in a file, and creates the file if it does not exist. It does not wait for another client.
    ///
    /// - Parameters:
    ///   - path: The file; its folder must exist.
    ///   - projections: The tables of the app. A client drops those of projections that are not in the list, unless it is a guest
    ///     (``SyncConfiguration/isGuest``). Nil leaves them in the file: the next client with them corrects the rows of the records
    ///     that were changed meanwhile, or builds them again if there are more than 256.
    ///   - takesTurns: Whether the client hands the file over to another client that waits for it, and opens it again for its next
    ///     call (Contract §14). The files `-turn` and `-holder` are beside the store then.
    /// - Throws: `invalidName` for the name of a projection; `storeBusy`, with the number of the process that has the file open, if
    ///   the system names it; `notAStore`, `storeNewer`, `storeCorrupt`, `storeReadOnly`, `storeFull` or `storeUnavailable` (also
    ///   if the log of a missing store is at the path). The message says what to do.
    public convenience init(
        path: String, projections: [any Projection]? = nil, takesTurns: Bool = false
    ) throws(TidemarkError) {
        try self.init(.file(path), projections: projections, takesTurns: takesTurns)
    }

    /// - Parameters:
    ///   - isWatched: Whether a file that has lost its place is an error. A copy has none from the beginning.
    ///   - asks: Whether to ask the client that has the file open for it; as `takesTurns` if nil.
    ///   - expected: The file that this store had open before; nil if it had none.
    package init(
        _ location: DatabaseLocation, projections: [any Projection]? = nil, takesTurns: Bool = false,
        isWatched: Bool = true, asks: Bool? = nil, expected: SuspendedFile? = nil
    ) throws(TidemarkError) {
        try ProjectionSet.check(projections ?? [])
        try SQLiteStoreFile.refuseLogAlone(at: location)
        if let expected { try expected.refuseOther(at: location) }
        let isUnchanged = expected?.isUnchanged ?? false
        do throws(DatabaseError) {
            self.claim =
                switch location {
                case .file: try DatabaseClaim(location.filename(), makesFile: true)
                case .memory, .temporary: nil
                }
        } catch {
            if asks ?? takesTurns { Self.ask(for: location, after: error) }
            throw TidemarkError(opening: location, error, openIn: "this program")
        }
        do throws(DatabaseError) {
            self.database = try DatabaseConnection(
                location, sharing: .none, applicationID: Self.applicationID, busyTimeout: .zero)
        } catch {
            let process = error.code == .busy ? self.claim?.otherProcess.map { "process \($0)" } : nil
            if asks ?? takesTurns { Self.ask(for: location, after: error) }
            throw TidemarkError(opening: location, error, openIn: process ?? "another program")
        }
        self.derived = DerivedTables(on: self.database)
        self.projections = ProjectionSet(projections, self.derived, on: self.database)
        self.opening = Opening(location: location, projections: projections, takesTurns: takesTurns)
        self.isUnchanged = isUnchanged
        do throws(DatabaseError) {
            self.turns = try StoreTurns(location, isTaken: takesTurns)
        } catch {
            self.turns = nil
            self.close()
            throw TidemarkError(error)
        }
        do throws(DatabaseError) {
            try StoreSchema.migrator.migrate(self.database)
        } catch {
            self.close()
            throw TidemarkError(error)
        }
        self.file = isWatched ? SQLiteStoreFile(of: self.database) : nil
    }

    deinit {
        self.close()
    }

    /// Closes the file and releases its lock; every later call throws. The contents of the log are written to the file, and the
    /// log is removed. A store that is deinitialized closes itself.
    public func close() {
        self.turns?.stop()
        self.dropStatements()
        if self.wasErased { self.shrink() }
        self.rescueLog()
        self.database.close()
        // Only after the file is closed, so that the next claim finds it free.
        self.claim?.release()
    }

    /// Asks the client that has the file open for it, in this process or in another; it answers if it takes turns.
    private static func ask(for location: DatabaseLocation, after error: DatabaseError) {
        if case .file(let path) = location, error.code == .busy { DatabaseTurns.ask(for: path) }
    }

    private func dropStatements() {
        self.updates = [:]
        self.insertions = [:]
        self.lookup = nil
    }

    /// Closes the file without writing its log into it, and releases its locks: in less than a millisecond. The file, its log and
    /// its identity stay as they are; the function that is returned opens this file and no other one.
    public func suspend() throws(TidemarkError) -> () throws(TidemarkError) -> any RecordStore {
        let opening = self.opening
        guard case .file = opening.location, let path = self.database.resolvedPath else { return { self } }
        // A file that has lost its place is kept, since no client could open it again.
        try self.requireFile()
        let file = try SuspendedFile(path: path)
        self.turns?.stop()
        self.dropStatements()
        do throws(DatabaseError) {
            try self.database.closeAtOnce()
        } catch {
            throw TidemarkError(error)
        }
        self.claim?.release()
        return { () throws(TidemarkError) in
            try SQLiteStore(
                .file(path), projections: opening.projections, takesTurns: opening.takesTurns, asks: false,
                expected: file)
        }
    }

    /// Runs the body as one durable transaction.
    public func transaction<Value>(_ body: () throws(TidemarkError) -> Value) throws(TidemarkError) -> Value {
        precondition(!self.isInTransaction, "A transaction was begun inside another one.")
        try self.read { () throws(DatabaseError) in try self.database.begin() }
        self.isInTransaction = true
        defer {
            self.isInTransaction = false
            self.failure = nil
            self.endInserting()
        }
        do throws(TidemarkError) {
            let value = try body()
            try self.requireFile()
            try self.write { () throws(DatabaseError) in try self.database.commit() }
            self.file?.noteLog()
            return value
        } catch {
            self.database.rollback()
            // The indexes and the number of a collection that were created in this transaction are no longer valid.
            self.derived.forget()
            self.collectionIDs = [:]
            self.known.forgetAll()
            self.figures.forgetAll()
            self.rescueLog()
            throw error
        }
    }

    /// If the file or its log has lost its place, writes the log into the file that is open, and empties the log: a file without
    /// its log would lack the last commits, and SQLite doesn't write the log of a moved file when it closes it.
    private func rescueLog() {
        guard self.file?.change != nil else { return }
        try? self.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Checks that the file and its log are in place, so that a commit is not lost.
    func requireFile() throws(TidemarkError) {
        guard let file, let change = file.change else { return }
        throw file.error(change)
    }

    /// Clears the numbers of all collections, and marks the file as to be shrunk.
    func noteErasure() {
        self.collectionIDs = [:]
        self.known.forgetAll()
        self.figures.forgetAll()
        self.wasErased = true
    }

    /// Notes an inserted row. Each row goes to another page of the indexes of the pks; with SQLite's default cache one page
    /// would be written and read for each row. So the pages of an import stay in memory until its end.
    func noteInsertion() throws(DatabaseError) {
        self.insertedCount += 1
        if self.insertedCount == Self.manyInsertions { try self.limitCache(to: Self.importCache) }
    }

    private func endInserting() {
        if self.insertedCount >= Self.manyInsertions { try? self.limitCache(to: Self.usualCache) }
        self.insertedCount = 0
    }

    private func limitCache(to kibibytes: Int) throws(DatabaseError) {
        try self.database.execute("PRAGMA cache_size = -\(kibibytes)")
    }

    /// From this number of rows on a transaction counts as an import.
    private static let manyInsertions = 5_000
    /// SQLite's cache during an import, in KiB.
    private static let importCache = 10 << 10
    /// SQLite's default cache, in KiB.
    private static let usualCache = 2_000

    /// The statement that looks up the row of the pk ?2 in the collection ?1, with its number before its columns.
    func lookingUp() throws(DatabaseError) -> DatabaseStatement {
        if let lookup { return lookup }
        let statement = try self.database.statement(
            "SELECT \(Self.numbered) FROM record WHERE collection = ?1 AND pk = ?2")
        self.lookup = statement
        return statement
    }

    /// The statement that saves these columns of the row ?1.
    func updating(_ columns: StoredRecord.Columns) throws(DatabaseError) -> DatabaseStatement {
        if let statement = self.updates[columns] { return statement }
        let assignments = columns.list.enumerated().map { "\($1.rawValue) = ?\($0 + 2)" }.joined(separator: ", ")
        let statement = try self.database.statement("UPDATE record SET \(assignments) WHERE id = ?1")
        if self.updates.count >= Self.mostStatements { self.updates = [:] }
        self.updates[columns] = statement
        return statement
    }

    /// The statement that inserts a row of the collection ?1 with these columns, or replaces the one of its pk.
    func inserting(_ columns: StoredRecord.Columns) throws(DatabaseError) -> DatabaseStatement {
        if let statement = self.insertions[columns] { return statement }
        let names = columns.list.map(\.rawValue)
        let parameters = names.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
        let assignments = StoredRecord.Column.all.dropFirst()
            .map { "\($0.rawValue) = excluded.\($0.rawValue)" }.joined(separator: ", ")
        let statement = try self.database.statement(
            """
            INSERT INTO record (collection, \(names.joined(separator: ", "))) VALUES (?1, \(parameters))
            ON CONFLICT (collection, pk) DO UPDATE SET \(assignments)
            """)
        if self.insertions.count >= Self.mostStatements { self.insertions = [:] }
        self.insertions[columns] = statement
        return statement
    }

    /// The maximum number of cached statements of either kind.
    private static let mostStatements = 32

    /// Runs a body that reads. After a failure of the device SQLite may have ended the transaction, and a later write would be
    /// committed alone: so the failure is thrown again until the transaction is over. A damaged row or page ends nothing.
    func read<Value>(_ body: () throws(DatabaseError) -> Value) throws(TidemarkError) -> Value {
        if let failure { throw failure }
        do throws(DatabaseError) {
            return try body()
        } catch {
            let failure = TidemarkError(error)
            if self.isInTransaction, error.code != .unexpectedValue, error.code != .corrupt { self.failure = failure }
            throw failure
        }
    }

    /// Runs a body that writes. Any failure is thrown again until the transaction is over.
    func write<Value>(_ body: () throws(DatabaseError) -> Value) throws(TidemarkError) -> Value {
        precondition(self.isInTransaction, "A store is written to outside of a transaction.")
        do throws(TidemarkError) {
            return try self.read(body)
        } catch {
            self.failure = error
            throw error
        }
    }

    /// The number of a collection; nil when it is not known.
    func collectionID(_ name: String) throws(DatabaseError) -> Int64? {
        if let known = self.collectionIDs[CodePointString(name)] {
            return known
        }
        let statement = try self.database.statement("SELECT id FROM collection WHERE name = ?1", binding: name)
        guard try statement.step() else { return nil }
        let id = try statement.int64(0)
        self.collectionIDs[CodePointString(name)] = id
        return id
    }

    /// Removes the cached number of an erased collection.
    func forgetCollectionID(of name: String) {
        self.collectionIDs[CodePointString(name)] = nil
    }

    /// The number of a collection, which is created if it is unknown. It is larger than any number that has rows, also those of
    /// erased collections (``removeErased(limit:)``).
    func knownCollectionID(_ name: String) throws(DatabaseError) -> Int64 {
        if let known = try self.collectionID(name) {
            return known
        }
        try self.database.statement(Self.creatingCollection, binding: name).run()
        let id = self.database.lastInsertRowID
        self.collectionIDs[CodePointString(name)] = id
        if let declared = self.declared[CodePointString(name)] {
            try self.makeIndexes(declared, of: name, hasRecords: false)
        }
        return id
    }

    private static let creatingCollection: String = {
        let highest = SQLiteStore.tablesOfCollections.map { "ifnull((SELECT max(collection) FROM \($0.name)), 0)" }
        return """
            INSERT INTO collection (id, name) VALUES (
                1 + max(ifnull((SELECT max(id) FROM collection), 0), \(highest.joined(separator: ", "))), ?1)
            """
    }()
}

extension RecordStore where Self == SQLiteStore {
    /// A store in one SQLite file; see ``SQLiteStore``.
    ///
    /// - Parameters:
    ///   - path: The file; its folder must exist.
    ///   - projections: The tables of the app; see ``Projection`` and ``SQLiteStore/init(path:projections:takesTurns:)``.
    ///   - takesTurns: Whether the client hands the file over to another client that waits for it.
    public static func sqlite(
        at path: String, projections: [any Projection]? = nil, takesTurns: Bool = false
    ) throws(TidemarkError) -> SQLiteStore {
        try SQLiteStore(path: path, projections: projections, takesTurns: takesTurns)
    }

    /// A SQLite store in memory, discarded on deinit: for previews and experiments.
    public static func sqliteInMemory(
        projections: [any Projection]? = nil
    ) throws(TidemarkError) -> SQLiteStore {
        try SQLiteStore(.memory, projections: projections)
    }
}
