internal import TidemarkDatabase

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
    private let name: String
    private let runName: String

    /// Opens the database, makes it, or brings an older one to today's form.
    ///
    /// - Parameters:
    ///   - location: where it is.
    ///   - epoch: makes the name of the history of a new database; random when it is left out.
    ///   - run: makes the name of this run; random when it is left out, and two runs on one file must not have the same.
    /// - Throws: `ServerStorageError`: `.busy` (a second process), `.cannotOpen`, `.readOnly`, `.notAServerStore`,
    ///   `.newerVersion`, `.corrupt`.
    public init(
        _ location: Location, epoch: () -> String = SQLiteServerStorage.randomEpoch,
        run: () -> String = SQLiteServerStorage.randomRun
    ) throws(ServerStorageError) {
        let place: DatabaseLocation =
            switch location {
            case .file(let path): .file(path)
            case .memory: .memory
            }
        self.runName = run()
        do throws(DatabaseError) {
            let database = try DatabaseConnection(
                place, exclusive: true, applicationID: SQLiteServerSchema.applicationID, busyTimeout: .zero)
            self.database = database
            try SQLiteServerSchema.migrator.migrate(database)
            self.name = try Self.name(of: database, orMake: epoch)
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
        try self.database.transaction(failingWith: ServerStorageError.self, work)
    }

    /// Does `work` over one state of the database.
    public func snapshot<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        // The file is locked for this storage alone and calls come one by one: every state is one state.
        try work()
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
