import PostgresForTests
import Testing
import TidemarkServer

@testable import TidemarkPostgres

@Suite("Opening a database", .overPostgres)
struct OpeningTests {
    private let database: TestDatabase

    init() throws {
        self.database = try TestDatabase()
    }

    private func refusal(of address: String) -> ServerStorageError? {
        do throws(ServerStorageError) {
            _ = try PostgresServerStorage(try PostgresAddress(address))
            return nil
        } catch {
            return error
        }
    }

    @Test func `a reopened database has the same rows, cursors and epoch`() throws {
        let before = try {
            let process = try self.database.process()
            try process.make("1")
            return try process.list()
        }()
        let after = try self.database.process()
        #expect(try after.list().json == before.json)
        #expect(try after.list(after: before.cursor).pks == [])
    }

    @Test func `tables of a later version are refused and left unchanged`() throws {
        _ = try self.database.process()
        try self.database.run("UPDATE tidemark_server SET schema_version = 99")
        let error = try #require(self.refusal(of: self.database.address))
        #expect(error.code == .newerVersion)
        #expect(error.message.contains("99"))
        #expect(try self.database.run("SELECT schema_version FROM tidemark_server") == ["99"])
    }

    @Test func `administration begins no incarnation, and makes tables only if allowed`() throws {
        let address = try PostgresAddress(self.database.address)
        let error = #expect(throws: ServerStorageError.self) {
            try PostgresServerStorage(address, for: .administration(mayMake: false))
        }
        #expect(error?.code == .notAServerStore)
        #expect(try self.database.run("SELECT 1 FROM pg_tables WHERE tablename LIKE 'tidemark%'") == [])
        _ = try PostgresServerStorage(address, for: .administration(mayMake: true))
        let run = try self.database.run("SELECT run FROM tidemark_server")
        for mayMake in [true, false] { _ = try PostgresServerStorage(address, for: .administration(mayMake: mayMake)) }
        #expect(try self.database.run("SELECT run FROM tidemark_server") == run)
        _ = try self.database.process()
        #expect(try self.database.run("SELECT run FROM tidemark_server") != run)
    }

    @Test func `administration migrates no older tables, and names the command to migrate`() throws {
        _ = try self.database.process()
        let address = try PostgresAddress(self.database.address)
        let later = Self.later("CREATE TABLE tidemark_later (x bigint)")
        for mayMake in [true, false] {
            let error = #expect(throws: ServerStorageError.self) {
                try PostgresServerStorage(address, for: .administration(mayMake: mayMake), schema: later)
            }
            #expect(error?.code == .olderVersion)
            #expect(error?.message.contains("tidemark serve") == true, "\(String(describing: error))")
        }
        #expect(try self.database.run("SELECT schema_version FROM tidemark_server") == ["1"])
        _ = try PostgresServerStorage(address, for: .serving, schema: later)
        #expect(try self.database.run("SELECT schema_version FROM tidemark_server") == ["2"])
        #expect(try self.database.run("SELECT count(*) FROM tidemark_later") == ["0"])
    }

    @Test func `a step that fails leaves the tables at the previous version`() throws {
        let process = try self.database.process()
        try process.make("1")
        let address = try PostgresAddress(self.database.address)
        let broken = Self.later("CREATE TABLE tidemark_later (x bigint); INSERT INTO nowhere VALUES (1)")
        #expect(throws: ServerStorageError.self) {
            try PostgresServerStorage(address, for: .serving, schema: broken)
        }
        #expect(try self.database.run("SELECT schema_version FROM tidemark_server") == ["1"])
        #expect(try self.database.run("SELECT 1 FROM pg_tables WHERE tablename = 'tidemark_later'") == [])
        #expect(try self.database.process().list().pks == ["1"])
    }

    /// The tables of this program, and one more step.
    private static func later(_ step: String) -> PostgresSchema {
        PostgresSchema(steps: PostgresSchema.current.steps + [step])
    }

    @Test(arguments: [1, 2, 3])
    func `tables from before the first release are refused and left unchanged`(version: Int) throws {
        try self.database.run(
            """
            CREATE TABLE tidemark_server (id bigint PRIMARY KEY, version bigint NOT NULL, epoch text NOT NULL, run text NOT NULL);
            INSERT INTO tidemark_server VALUES (1, \(version), 'e', 'r')
            """)
        let address = try PostgresAddress(self.database.address)
        for use in [ServerStorageUse.serving, .administration(mayMake: true), .administration(mayMake: false)] {
            let error = #expect(throws: ServerStorageError.self) { try PostgresServerStorage(address, for: use) }
            #expect(error?.code == .notAServerStore)
            #expect(error?.message.contains("before the first release") == true, "\(String(describing: error))")
        }
        #expect(try self.database.run("SELECT version || epoch || run FROM tidemark_server") == ["\(version)er"])
        #expect(try self.database.run("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'tidemark%'") == ["1"])
    }

    @Test func `a user who can't make tables gets a reason, and can use another user's tables`() throws {
        let guest = "guest_\(self.database.name)"
        try self.database.run("CREATE ROLE \(guest) LOGIN")
        defer { _ = try? self.database.run("DROP OWNED BY \(guest); DROP ROLE \(guest)") }
        let address = self.database.server.address(of: self.database.name, user: guest)
        let error = try #require(self.refusal(of: address))
        #expect(error.code == .notAllowed)
        #expect(error.message.contains("permission denied") && error.message.contains("GRANT CREATE"), "\(error)")
        _ = try self.database.process()
        try self.database.run("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(guest)")
        #expect(self.refusal(of: address) == nil)
    }

    @Test func `a wrong or missing password is reported without showing it`() throws {
        let folder = self.database.server.folder
        for (address, words) in [
            ("postgresql://locked:open-up@/postgres?host=\(folder)", "password authentication failed"),
            ("postgresql://locked@/postgres?host=\(folder)", "no password supplied"),
        ] {
            let error = try #require(self.refusal(of: address))
            #expect(error.code == .notAllowed)
            #expect(error.message.contains(words) && error.message.contains("PGPASSWORD"), "\(error)")
            #expect(!error.message.contains("open-up"))
        }
    }

    @Test func `a missing host, database or user is named`() throws {
        let folder = self.database.server.folder
        for (address, words) in [
            ("postgresql://tidemark@/nowhere?host=\(folder)", ["“nowhere”", "createdb"]),
            ("postgresql://not-a-user@/postgres?host=\(folder)", ["not-a-user", "createuser"]),
            ("postgresql:///x?host=\(folder)/missing", ["missing", "runs there"]),
            ("postgresql://127.0.0.1:1/x", ["127.0.0.1:1", "Connection refused"]),
            ("postgresql://no-such-host.invalid/x", ["no-such-host.invalid"]),
        ] {
            let error = try #require(self.refusal(of: address))
            #expect(error.code == .cannotOpen)
            for word in words {
                #expect(error.message.replacing("\"nowhere\"", with: "“nowhere”").contains(word), "\(error)")
            }
        }
    }
}

@Suite("The address of a database")
struct AddressTests {
    @Test(arguments: [
        "server.db", "http://example/x", "postgresql://u:pa/ss@host/db", "postgresql://u:p@ss@host/db",
        "postgresql://h:port/x",
        "postgresql://u:%zz@host/db", "postgresql://host/db?nonsense=secret",
    ])
    func `a malformed address is refused, and the message shows no part of it`(text: String) throws {
        let error = #expect(throws: ServerStorageError.self) { try PostgresAddress(text) }
        #expect(error?.code == .cannotOpen)
        for secret in ["pa/", "/ss", "ss@", "%zz", "secret"] { #expect(error?.message.contains(secret) == false) }
    }

    @Test(arguments: [
        ("postgresql://u:secret@db.example:5433/tide", "postgresql://u@db.example:5433/tide", true),
        ("postgres://db.example/tide", "postgresql://db.example/tide", false),
        ("postgresql:///tide?host=/run/postgresql&password=secret", "postgresql:///tide?host=/run/postgresql", true),
    ])
    func `an address is shown without its password`(text: String, shown: String, hasPassword: Bool) throws {
        let address = try PostgresAddress(text)
        #expect(address.description == shown)
        #expect(address.hasPassword == hasPassword)
    }
}
