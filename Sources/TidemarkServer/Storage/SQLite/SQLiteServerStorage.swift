import TidemarkDatabase

/// The server's rows in one SQLite file, which this process locks, or in memory.
///
/// ```swift
/// let storage = try SQLiteServerStorage(.file("server.db"))
/// ```
public final class SQLiteServerStorage: ServerStorage {
    /// The location of the database.
    public enum Location: Sendable, Hashable {
        /// In this file, which is made if it does not exist.
        case file(String)
        /// In memory, discarded with the storage.
        case memory
    }

    let database: DatabaseConnection
    let rowReader: SQLiteServerReader
    /// Nil in memory.
    private let file: SQLiteServerFile?
    private let location: DatabaseLocation
    /// Nil outside of a transaction.
    var openFeeds: OpenFeeds?
    private let makeRun: () -> String
    private var runName: String

    /// The size of the write-ahead log, in bytes, from which it is checkpointed into the file even while readers read.
    var largestLog: Int64 = 64 << 20
    /// The size at which the next attempt is made: an attempt fails if a reader still uses the log.
    private var nextLog: Int64 = 0

    /// Opens the database, makes it, or migrates an older one to the current version.
    ///
    /// - Parameters:
    ///   - location: The file, or memory.
    ///   - use: The purpose; it decides whether tables are made or changed.
    ///   - epoch: Makes the name of the history of a new database; random by default.
    ///   - run: Makes the name of an incarnation, now and whenever an account is removed; random by default. Two incarnations
    ///     of one file must have different names.
    /// - Throws: `ServerStorageError`: `.busy` (a second process), `.cannotOpen`, `.readOnly`, `.notAServerStore`,
    ///   `.newerVersion`, `.olderVersion`, `.corrupt`.
    public convenience init(
        _ location: Location, for use: ServerStorageUse = .serving,
        epoch: () -> String = SQLiteServerStorage.randomEpoch,
        run: @escaping () -> String = SQLiteServerStorage.randomRun
    ) throws(ServerStorageError) {
        try self.init(location, use, image: nil, epoch: epoch, run: run)
    }

    /// Opens a storage in memory that begins with the committed data of another one.
    package convenience init(image: [UInt8], run: @escaping () -> String) throws(ServerStorageError) {
        try self.init(.memory, .serving, image: image, epoch: Self.randomEpoch, run: run)
    }

    private init(
        _ location: Location, _ use: ServerStorageUse, image: [UInt8]?, epoch: () -> String, run: @escaping () -> String
    ) throws(ServerStorageError) {
        self.location = location.inDatabase
        self.makeRun = run
        self.runName = run()
        DatabaseMemory.giveUpCounting()
        do throws(DatabaseError) {
            self.database = try Self.connection(self.location, busyTimeout: .zero)
            if let image { try self.database.load(image) }
            self.file = try location.path.map { path throws(DatabaseError) in try SQLiteServerFile(path) }
            try SQLiteServerSchema.migrate(self.database, for: use)
            let name = try Self.name(of: self.database, orMake: epoch)
            self.file?.endWriting()
            self.rowReader = SQLiteServerReader(self.database, file: self.file, name: name)
        } catch {
            throw ServerStorageError(error)
        }
    }

    /// 128 random bits as hexadecimal digits.
    public static func randomEpoch() -> String { RandomDigits.epoch() }

    /// 64 random bits as hexadecimal digits.
    public static func randomRun() -> String { RandomDigits.run() }

    /// Closes the file; every later call throws.
    public func close() {
        self.database.close()
        self.file?.release()
    }

    /// Reads over the connection that writes.
    public var reader: any ServerReader { self.rowReader }

    /// Opens another connection to the file, for reading; nil in memory, which allows only one.
    public func openReader() throws(ServerStorageError) -> sending (any ServerReader)? {
        guard let file = self.file else { return nil }
        let (location, name) = (self.location, self.rowReader.epoch())
        do throws(DatabaseError) {
            // Only this process uses the file, so each wait is short: while the log is restarted, for example.
            let database = try Self.connection(location, busyTimeout: .seconds(5))
            try database.giveUpWriting()
            return SQLiteServerReader(database, file: file, name: name)
        } catch {
            throw ServerStorageError(error)
        }
    }

    /// Copies the file; nil in memory.
    public var backup: (any ServerBackup)? { self.file.map { _ in SQLiteServerBackup(location: self.location) } }

    /// The name of this incarnation, made when the database was opened.
    public func run() -> String {
        self.runName
    }

    /// Assigns versions in the name of a new incarnation from here on (W8).
    func beginRun() {
        self.runName = self.makeRun()
    }

    /// Does all of `work` or nothing; the changes are on disk when this returns.
    public func transaction<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.file?.beginWriting()
        defer { self.file?.endWriting() }
        let outcome = try self.database.transaction(failingWith: ServerStorageError.self) {
            () throws(ServerStorageError) in
            self.openFeeds = OpenFeeds()
            defer { self.openFeeds = nil }
            let outcome = try work()
            try self.saveFeeds()
            try self.file?.checkBeforeCommit()
            return outcome
        }
        self.boundLog()
        return outcome
    }

    /// The bytes that a probe writes: a single page often fits into a disk that is full for every request.
    private static let probeSize = 1 << 20

    /// Writes a table of a mebibyte, and then drops it: two transactions, since SQLite does not write the pages of a table that
    /// is dropped in its own one.
    public func probeWrite() throws(ServerStorageError) {
        for sql in [
            "CREATE TABLE IF NOT EXISTS probe (content BLOB); INSERT INTO probe VALUES (zeroblob(\(Self.probeSize)))",
            "DROP TABLE IF EXISTS probe",
        ] {
            try self.transaction { () throws(ServerStorageError) in
                do throws(DatabaseError) {
                    try self.database.execute(sql)
                } catch {
                    throw ServerStorageError(error)
                }
            }
        }
    }

    /// Keeps the log from growing without limit while one reader follows another. The committed data is safe in any case, so a
    /// failure is left for the next transaction to detect.
    private func boundLog() {
        guard self.file != nil else { return }
        let size = self.database.logSize
        guard size > max(self.largestLog, self.nextLog) else { return }
        let isEmpty = try? self.database.emptyLog(lockTimeout: .milliseconds(50), thenWaiting: .zero)
        self.nextLog = isEmpty == true ? 0 : size + self.largestLog
    }

    static func connection(
        _ location: DatabaseLocation, busyTimeout: Duration
    ) throws(DatabaseError) -> DatabaseConnection {
        try DatabaseConnection(
            location, sharing: .process, applicationID: SQLiteServerSchema.applicationID, busyTimeout: busyTimeout)
    }

    private static func name(
        of database: DatabaseConnection, orMake epoch: () -> String
    ) throws(DatabaseError) -> String {
        try database.statement(
            "INSERT INTO server (id, epoch) VALUES (1, ?1) ON CONFLICT (id) DO NOTHING", binding: epoch()
        ).run()
        let select = try database.statement("SELECT epoch FROM server WHERE id = 1")
        guard try select.step() else {
            throw DatabaseError(
                code: .corrupt, message: "\(database.path): the name of the history is missing; restore a backup.")
        }
        return try select.text(0)
    }
}

extension SQLiteServerStorage.Location {
    /// The file's path; nil in memory.
    fileprivate var path: String? {
        switch self {
        case .file(let path): path
        case .memory: nil
        }
    }

    fileprivate var inDatabase: DatabaseLocation { self.path.map { .file($0) } ?? .memory }
}
