import PostgresForTests
import Synchronization
import Testing
import TidemarkDatabase
import TidemarkPostgres
import TidemarkServer

/// The storage of a test's servers: SQLite, and then, in a second run, PostgreSQL.
struct StorageOfTest: Sendable {
    @TaskLocal static var present: StorageOfTest?

    /// The databases of the test, by the file names that it opens.
    private let databases = DatabasesOfTest()

    /// Opens the storage of the test.
    static func open(
        _ location: SQLiteServerStorage.Location = .memory, epoch: String = "e1"
    ) throws -> sending any ServerStorage {
        guard let present = Self.present else { return try SQLiteServerStorage(location, epoch: { epoch }) }
        let server = try PostgresForTests.shared.get()
        let name =
            switch location {
            case .memory: try present.databases.make()
            case .file(let path): try present.databases.name(of: path)
            }
        return try PostgresServerStorage(try PostgresAddress(server.address(of: name)), epoch: { epoch })
    }

    /// Replaces a file's database by a copy of another; neither may be open.
    func copy(_ path: String, to copy: String) throws {
        try self.databases.copy(path, to: copy)
    }

    /// A number from the tables of a file's servers; the SQL uses SQLite's names.
    static func number(_ sql: String, in path: String) throws -> Int64 {
        guard let present = Self.present else { return try DatabaseConnection(.file(path)).integer(sql) }
        let found = try PostgresForTests.shared.get()
            .run(sql.replacing("FROM ", with: "FROM tidemark_"), in: try present.databases.name(of: path))
        return try #require(found.first.flatMap { Int64($0) })
    }

    fileprivate func drop() throws {
        try self.databases.drop()
    }
}

private final class DatabasesOfTest: Sendable {
    private let state = Mutex((all: [String](), names: [String: String]()))

    func make(copying template: String? = nil) throws -> String {
        let name = try PostgresForTests.shared.get().make(copying: template)
        self.state.withLock { $0.all.append(name) }
        return name
    }

    func name(of path: String) throws -> String {
        if let name = self.state.withLock({ $0.names[path] }) { return name }
        let name = try self.make()
        self.state.withLock { $0.names[path] = name }
        return name
    }

    func copy(_ path: String, to copy: String) throws {
        let name = try self.make(copying: try self.name(of: path))
        self.state.withLock { $0.names[copy] = name }
    }

    func drop() throws {
        for name in self.state.withLock({ $0.all }) { try PostgresForTests.shared.get().drop(name) }
    }
}

/// Runs each test of a suite once with each storage.
struct EachStorage: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await function()
        guard PostgresForTests.isInstalled else { return }
        let storage = StorageOfTest()
        let naming = IssueHandlingTrait.compactMapIssues { issue in
            var issue = issue
            issue.comments.append("over PostgreSQL")
            return issue
        }
        try await naming.provideScope(for: test, testCase: testCase) {
            try await StorageOfTest.$present.withValue(storage) { try await function() }
        }
        try storage.drop()
    }
}

extension Trait where Self == EachStorage {
    /// With SQLite and, if it is installed, with PostgreSQL.
    static var overEachStorage: EachStorage { EachStorage() }
}

@Suite("The storages of the rules' tests")
struct StorageOfTestTests {
    @Test(.enabled(if: PostgresForTests.isInstalled, "\(PostgresForTests.whyNot): W1 to W10 run over SQLite alone"))
    func `the tests run on PostgreSQL, too`() throws {
        #expect(try PostgresForTests.shared.get().run("SELECT 1") == ["1"])
    }
}
