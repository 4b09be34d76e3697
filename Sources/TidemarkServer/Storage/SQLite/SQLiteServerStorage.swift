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
    /// The file that is watched; nil in memory.
    private let path: String?
    /// How the file looked after the last thing that was written to it here.
    private var mark: DatabaseFileMark?
    private let name: String
    private let runName: String

    /// Opens the database, makes it, or brings an older one to today's form.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - epoch: Makes the name of the history of a new database; random when it is left out.
    ///   - run: Makes the name of this run; random when it is left out, and two runs on one file must not have the same.
    /// - Throws: `ServerStorageError`: `.busy` (a second process), `.cannotOpen`, `.readOnly`, `.notAServerStore`,
    ///   `.newerVersion`, `.corrupt`.
    public init(
        _ location: Location, epoch: () -> String = SQLiteServerStorage.randomEpoch,
        run: () -> String = SQLiteServerStorage.randomRun
    ) throws(ServerStorageError) {
        let place: DatabaseLocation
        switch location {
        case .file(let path):
            place = .file(path)
            self.path = path
        case .memory:
            place = .memory
            self.path = nil
        }
        self.runName = run()
        do throws(DatabaseError) {
            let database = try DatabaseConnection(
                place, sharing: .none, applicationID: SQLiteServerSchema.applicationID, busyTimeout: .zero)
            self.database = database
            try SQLiteServerSchema.migrator.migrate(database)
            self.name = try Self.name(of: database, orMake: epoch)
            self.mark = self.path.flatMap { DatabaseFileMark(path: $0) }
        } catch {
            throw ServerStorageError(error)
        }
    }

    /// 128 random bits as hexadecimal digits.
    public static func randomEpoch() -> String {
        Self.randomDigits(words: 4)
    }

    /// 64 random bits as hexadecimal digits.
    public static func randomRun() -> String {
        Self.randomDigits(words: 2)
    }

    private static func randomDigits(words: Int) -> String {
        (0..<words).map { _ in
            let digits = String(UInt32.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    /// Gives up the file; every later call throws.
    public func close() {
        self.database.close()
    }

    /// The name of this history, read once when the database was opened.
    public func epoch() -> String {
        self.name
    }

    /// The name of this run, made when the database was opened.
    public func run() -> String {
        self.runName
    }

    /// Does all of `work` or nothing; what it did is on disk when this returns.
    public func transaction<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.checkFile()
        defer { self.markFile() }
        return try self.database.transaction(failingWith: ServerStorageError.self, work)
    }

    /// Does `work` over one state of the database.
    public func snapshot<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        // The file is locked for this storage alone and calls come one by one: every state is one state.
        try self.checkFile()
        return try work()
    }

    /// Nobody else may write to the file, so what looks otherwise than it was left is not the file any more.
    private func checkFile() throws(ServerStorageError) {
        guard let path = self.path, DatabaseFileMark(path: path) != self.mark else { return }
        throw ServerStorageError(
            .fileReplaced,
            """
            \(path): the file was moved away, or another program wrote to it, while the server had it open. Stop the \
            server, put the right file there, and start it again.
            """)
    }

    /// Keeps how the file looks now; one that was replaced meanwhile is found by the next call.
    private func markFile() {
        guard let path = self.path, let now = DatabaseFileMark(path: path), let mark = self.mark,
            now.isSameFile(as: mark)
        else { return }
        self.mark = now
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
