public import TidemarkCore
package import TidemarkDatabase
import TidemarkJSON
public import TidemarkRules

/// A store in one SQLite file, which survives a power cut.
///
/// ```swift
/// let client = try SyncClient(store: .sqlite(at: "phone.db"), remote: .http(url, token: token))
/// ```
///
/// - Every transaction is on disk when it returns: write-ahead log, `synchronous=FULL` (SPEC §3.2).
/// - The file is locked as long as the store is open. Another client, in this process or in another, gets
///   ``TidemarkError/Code/storeBusy`` at once: share one client, or close it there. A crash gives up the lock. A client that
///   should wait for the store is made by `SyncClient.open`.
/// - A file of another kind, of a newer version, damaged or write-protected is refused and left as it is.
/// - A full disk (``TidemarkError/Code/storeFull``) undoes the transaction; what was there before stays.
///
/// The folder must be on a local disk. The `-wal` beside the file belongs to it: after a crash the last transactions
/// are in it. While the store is open it grows to 16 MiB, or to the size of the largest transaction.
public final class SQLiteStore: RecordStore {
    /// Says that a file is a store.
    package static let applicationID = DatabaseOwner.client.rawValue

    package let database: DatabaseConnection

    /// That this store has its file within this process; nil in memory.
    private let claim: DatabaseClaim?
    private(set) var isInTransaction = false
    private var failure: TidemarkError?
    private var collectionIDs: [CodePointString: Int64] = [:]
    private var wasErased = false
    private var insertedCount = 0

    /// Rows that need not be read again.
    var known = KnownRows()

    /// Statements that save some columns of a row, by these: the same few are used all the time.
    private var updates: [StoredRecord.Columns: DatabaseStatement] = [:]

    /// Those that insert a row with some columns.
    private var insertions: [StoredRecord.Columns: DatabaseStatement] = [:]

    /// The one that looks a record up, which is used as often.
    private var lookup: DatabaseStatement?

    /// Opens the store in a file, and makes it where there is none. It does not wait for another client.
    ///
    /// - Parameter path: The file; its folder must exist.
    /// - Throws: `storeBusy`, with the number of the process that has the file, if the system names it; `notAStore`,
    ///   `storeNewer`, `storeCorrupt`, `storeReadOnly`, `storeFull` or `storeUnavailable`. The message says what to do.
    public convenience init(path: String) throws(TidemarkError) {
        try self.init(.file(path))
    }

    package init(_ location: DatabaseLocation) throws(TidemarkError) {
        do throws(DatabaseError) {
            self.claim =
                switch location {
                case .file: try DatabaseClaim(location.filename(), makesFile: true)
                case .memory: nil
                }
        } catch {
            throw TidemarkError(opening: location, error, openIn: "this program")
        }
        do throws(DatabaseError) {
            self.database = try DatabaseConnection(
                location, sharing: .none, applicationID: Self.applicationID, busyTimeout: .zero)
        } catch {
            let process = error.code == .busy ? self.claim?.otherProcess.map { "process \($0)" } : nil
            throw TidemarkError(opening: location, error, openIn: process ?? "another program")
        }
        do throws(DatabaseError) {
            try StoreSchema.migrator.migrate(self.database)
        } catch {
            self.close()
            throw TidemarkError(error)
        }
    }

    deinit {
        self.close()
    }

    /// Closes the file and gives up its lock; every later call throws. What the log holds goes to the file itself, and the
    /// log is removed. A store that is let go does so by itself.
    public func close() {
        self.updates = [:]
        self.insertions = [:]
        self.lookup = nil
        if self.wasErased { self.shrink() }
        self.database.close()
        // Not before the file is closed, so that the next claim finds it free.
        self.claim?.release()
    }

    /// Runs the body as one durable transaction.
    public func transaction<Value>(_ body: () throws(TidemarkError) -> Value) throws(TidemarkError) -> Value {
        precondition(!self.isInTransaction, "A transaction was begun inside another one.")
        try self.read { () throws(DatabaseError) in try self.database.begin() }
        self.isInTransaction = true
        self.failure = nil
        defer {
            self.isInTransaction = false
            self.endInserting()
        }
        do throws(TidemarkError) {
            let value = try body()
            try self.write { () throws(DatabaseError) in try self.database.commit() }
            return value
        } catch {
            self.database.rollback()
            // A collection that was made in this transaction has lost its number.
            self.collectionIDs = [:]
            self.known.forgetAll()
            throw error
        }
    }

    /// No collection has its number any more, and the file has room to give back.
    func noteErasure() {
        self.collectionIDs = [:]
        self.known.forgetAll()
        self.wasErased = true
    }

    /// A row was inserted. Each goes to another page of the indexes of the pks, and beyond what SQLite keeps in memory by itself it
    /// would write and read one of them for each row; so those of an import stay in memory until its end.
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

    /// From how many rows on a transaction counts as an import.
    private static let manyInsertions = 5_000
    /// How much of the file SQLite keeps in memory for one, in KiB.
    private static let importCache = 10 << 10
    /// What it keeps by itself, in KiB.
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

    /// How many of either kind are kept at hand.
    private static let mostStatements = 32

    func read<Value>(_ body: () throws(DatabaseError) -> Value) throws(TidemarkError) -> Value {
        do throws(DatabaseError) {
            return try body()
        } catch {
            throw TidemarkError(error)
        }
    }

    /// Runs what writes. After a failure SQLite may have ended the transaction, and a later write would stand alone and
    /// stay: so the failure is thrown again until the transaction is over.
    func write<Value>(_ body: () throws(DatabaseError) -> Value) throws(TidemarkError) -> Value {
        precondition(self.isInTransaction, "A store is written to outside of a transaction.")
        if let failure = self.failure {
            throw failure
        }
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
        let statement = try self.database.statement("SELECT id FROM collection WHERE name = ?1")
        try statement.bind(1, name)
        guard try statement.step() else { return nil }
        let id = try statement.int64(0)
        self.collectionIDs[CodePointString(name)] = id
        return id
    }

    /// The number of a collection that was erased may be another's soon.
    func forgetCollectionID(of name: String) {
        self.collectionIDs[CodePointString(name)] = nil
    }

    /// The number of a collection, which is made known for it.
    func knownCollectionID(_ name: String) throws(DatabaseError) -> Int64 {
        if let known = try self.collectionID(name) {
            return known
        }
        let statement = try self.database.statement("INSERT INTO collection (name) VALUES (?1)")
        try statement.bind(1, name)
        try statement.run()
        self.collectionIDs[CodePointString(name)] = self.database.lastInsertRowID
        return self.database.lastInsertRowID
    }
}

extension RecordStore where Self == SQLiteStore {
    /// A store in one SQLite file; see ``SQLiteStore``.
    ///
    /// - Parameter path: The file; its folder must exist.
    public static func sqlite(at path: String) throws(TidemarkError) -> SQLiteStore {
        try SQLiteStore(path: path)
    }

    /// A SQLite store in memory, gone when it is let go: for previews and tries.
    public static func sqliteInMemory() throws(TidemarkError) -> SQLiteStore {
        try SQLiteStore(.memory)
    }
}
