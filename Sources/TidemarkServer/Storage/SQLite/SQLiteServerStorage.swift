import TidemarkDatabase

/// The server's rows in one SQLite file, which it keeps locked, or in memory.
///
/// ```swift
/// let storage = try SQLiteServerStorage(.file("server.db"))
/// ```
public final class SQLiteServerStorage: ServerStorage {
    /// Where the database is.
    public enum Location: Sendable, Hashable {
        /// In this file; it is made where there is none.
        case file(String)
        /// In memory, gone with the storage.
        case memory
    }

    let database: DatabaseConnection
    let reader: SQLiteServerReader
    /// Nil in memory.
    private let file: SQLiteServerFile?
    private let location: DatabaseLocation
    /// Nil outside of a transaction.
    var openFeeds: OpenFeeds?
    private let makeRun: () -> String
    private var runName: String

    /// How large the log may grow before it is brought into the file, whoever reads.
    var largestLog: Int64 = 64 << 20
    /// At which size that is tried next: a reader may have held out.
    private var nextLog: Int64 = 0

    /// Opens the database, makes it, or brings an older one to today's form.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - use: What for; it decides whether tables are made or changed.
    ///   - epoch: Makes the name of the history of a new database; random when it is left out.
    ///   - run: Makes the name of a run, now and whenever an account is removed; random when it is left out, and two runs on one
    ///     file must not have the same.
    /// - Throws: `ServerStorageError`: `.busy` (a second process), `.cannotOpen`, `.readOnly`, `.notAServerStore`,
    ///   `.newerVersion`, `.olderVersion`, `.corrupt`.
    public convenience init(
        _ location: Location, for use: ServerStorageUse = .serving,
        epoch: () -> String = SQLiteServerStorage.randomEpoch,
        run: @escaping () -> String = SQLiteServerStorage.randomRun
    ) throws(ServerStorageError) {
        try self.init(location, use, image: nil, epoch: epoch, run: run)
    }

    /// Opens a storage in memory that begins with what another one had committed.
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
            self.reader = SQLiteServerReader(self.database, file: self.file, name: name)
        } catch {
            throw ServerStorageError(error)
        }
    }

    /// 128 random bits as hexadecimal digits.
    public static func randomEpoch() -> String { RandomDigits.epoch() }

    /// 64 random bits as hexadecimal digits.
    public static func randomRun() -> String { RandomDigits.run() }

    /// Gives up the file; every later call throws.
    public func close() {
        self.database.close()
        self.file?.release()
    }

    /// One more connection to the file, which reads beside this one; nil in memory, where there can be none.
    public func openReader() throws(ServerStorageError) -> sending (any ServerReader)? {
        guard let file = self.file else { return nil }
        let (location, name) = (self.location, self.epoch())
        do throws(DatabaseError) {
            // The file is this process's, so what is waited for is over soon: that the log is begun anew, say.
            let database = try Self.connection(location, busyTimeout: .seconds(5))
            try database.giveUpWriting()
            return SQLiteServerReader(database, file: file, name: name)
        } catch {
            throw ServerStorageError(error)
        }
    }

    /// What copies the file; nil in memory.
    public var backup: (any ServerBackup)? { self.file.map { _ in SQLiteServerBackup(location: self.location) } }

    /// The name of this run, made when the database was opened.
    public func run() -> String {
        self.runName
    }

    /// Gives out versions in the name of another run from here on (SPEC W8).
    func beginRun() {
        self.runName = self.makeRun()
    }

    /// Does all of `work` or nothing; what it did is on disk when this returns.
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

    /// Keeps the log from growing without end where one reader follows the other. What was committed is safe in any case, so a
    /// failure is left to the next transaction to find.
    private func boundLog() {
        guard self.file != nil else { return }
        let size = self.database.logSize
        guard size > max(self.largestLog, self.nextLog) else { return }
        let isEmpty = try? self.database.emptyLog(patience: .milliseconds(50), thenWaiting: .zero)
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
        let insert = try database.statement(
            "INSERT INTO server (id, epoch) VALUES (1, ?1) ON CONFLICT (id) DO NOTHING")
        try insert.bind(1, epoch())
        try insert.run()
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
