import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkRules
import TidemarkSQLite

// SQL of the app, and refused statements.

extension `Tables of the app` {
    @Test(arguments: [
        ("UPDATE record SET pk = pk || 'x'", "the table record is not one of this projection"),
        ("DELETE FROM record WHERE collection = ?1 AND pk = ?2", "the table record is not one of this projection"),
        ("INSERT INTO setting VALUES ('a', 'b')", "Write only to these"),
        ("INSERT INTO app_others VALUES ('a', 'b')", "the table app_others is not one of this projection"),
        ("DELETE FROM sqlite_sequence", "sqlite_sequence is not one of this projection"),
        ("COMMIT", "a transaction or savepoint is not allowed"),
        ("BEGIN", "a transaction or savepoint is not allowed"),
        ("ROLLBACK", "ROLLBACK is not allowed"),
        ("SAVEPOINT a", "a transaction or savepoint is not allowed"),
        ("INSERT OR ROLLBACK INTO app_copies VALUES ('1', '')", "ROLLBACK is not allowed"),
        ("ATTACH ':memory:' AS other", "ATTACH, DETACH or VACUUM is not allowed"),
        ("PRAGMA user_version = 1", "PRAGMA user_version may change the store"),
        ("PRAGMA writable_schema = ON", "PRAGMA writable_schema may change the store"),
        ("CREATE TABLE app_copies_more (a)", "in Projection.setUp only"),
        ("DROP TABLE app_copies", "in Projection.setUp only"),
        ("CREATE TEMP TABLE app_copies (b)", "a temporary table"),
        ("ALTER TABLE app_copies RENAME TO record2", "ALTER TABLE is not allowed"),
        ("ANALYZE", "the name sqlite_stat1 is not one of this projection"),
        ("SELECT load_extension('a')", "load_extension() is not allowed"),
        ("DELETE FROM app_copies; DELETE FROM record", "Run each by itself"),
        ("DELETE FROM app_copies WHERE pk = ?1", "1 parameters, and there are 0 values"),
        ("nonsense", "syntax error"),
    ])
    func `SQL that could harm the store is refused with a reason`(sql: String, reason: String) throws {
        let store = try self.store([Copies(trap: { _, tables in try tables.run(sql) }), Copies(name: "others")])
        try store.commit { (store) throws(TidemarkError) in
            // Our own statement with the same text is in the cache then.
            try store.save(Self.record("9", "{}"), in: "d")
            try store.erase("9", in: "d")
            try store.save(Self.record("1", "{}"), in: "c")
        }
        #expect(try store.pks() == ["1"])
        let error = #expect(throws: TidemarkError.self) { try store.readTables(of: "copies") { _ in } }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(try Copies.faults(in: store, name: "others").isEmpty)
    }

    @Test(arguments: [
        ("CREATE TABLE more (a)", "the name more is not one of this projection"),
        ("CREATE TABLE app_copies2 (a)", "the name app_copies2 is not one of this projection"),
        ("CREATE INDEX by_pk ON app_copies (content)", "the name by_pk is not one"),
        ("CREATE INDEX app_copies_a ON record (data)", "the name record is not one"),
        ("CREATE TRIGGER app_copies_a AFTER INSERT ON record BEGIN SELECT 1; END", "the name record is not one"),
        ("CREATE TABLE app_copies_a (a REFERENCES record (id))", "REFERENCES is not allowed"),
        ("CREATE TABLE app_copies_a (a INTEGER PRIMARY KEY AUTOINCREMENT)", "AUTOINCREMENT is not allowed"),
        (
            "CREATE TRIGGER app_copies_a AFTER INSERT ON app_copies BEGIN SELECT RAISE(ROLLBACK, ''); END",
            "ROLLBACK is not allowed"
        ),
        ("DROP TABLE record", "the name record is not one"),
        ("DELETE FROM sqlite_schema", "may not be modified"),
    ])
    func `tables outside of the projection can't be set up`(sql: String, reason: String) throws {
        let store = try self.store([Copies(more: [sql])])
        let error = #expect(throws: TidemarkError.self) { try store.readTables { _ in } }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        try self.pull(0..<3, into: store)
        #expect(try store.pks().count == 3)
    }

    @Test func `a trigger of the app can't write to tables of the store`() throws {
        let trigger = "CREATE TRIGGER app_copies_a AFTER INSERT ON app_copies BEGIN DELETE FROM record; END"
        let store = try self.store([Copies(more: [trigger])])
        try store.commit { (store) throws(TidemarkError) in try store.save(Self.record("1", "{}"), in: "c") }
        #expect(try store.pks() == ["1"])
        let error = #expect(throws: TidemarkError.self) { try store.readTables { _ in } }
        #expect(error?.message.contains("the table record is not one") == true)
    }

    @Test(arguments: [
        "DELETE FROM app_copies", "INSERT INTO app_copies VALUES ('2', '')", "DROP TABLE app_copies", "BEGIN", "VACUUM",
        "PRAGMA user_version = 1", "CREATE TABLE app_copies_b (a)", "REINDEX", "DELETE FROM sqlite_schema",
    ])
    func `a reader can't write`(sql: String) throws {
        let store = try self.store([Copies()])
        try store.commit { (store) throws(TidemarkError) in try store.save(Self.record("1", "{}"), in: "c") }
        #expect(self.code { try store.readTables { tables in try tables.run(sql) } } == .invalidSQL)
        #expect(self.code { _ = try store.readTables { tables in try tables.rows(sql) } } == .invalidSQL)
        #expect(try self.count(store) == 1)
        #expect(!store.database.isInTransaction)
        #expect(try store.readTables { tables in try tables.rows("SELECT count(*) FROM record") } == [[1]])
    }

    @Test func `tables can't be used after their call`() throws {
        let store = try self.store([Copies()])
        let kept = try store.readTables { $0 }
        #expect(self.code { _ = try kept.rows("SELECT 1") } == .invalidSQL)
    }

    @Test func `values of all types are read as they were written`() throws {
        let store = try self.store([Copies()])
        let row = try store.readTables { tables in
            try tables.rows("SELECT ?1, ?2, ?3, ?4, ?5, ?6", nil, 7, 1.5, "a\u{0}b", .blob([1, 2]), true)
        }
        #expect(row == [[.null, 7, 1.5, "a\u{0}b", .blob([1, 2]), 1]])
        #expect(row[0].map(\.text) == [nil, nil, nil, "a\u{0}b", nil, nil])
        #expect(row[0].map(\.integer) == [nil, 7, nil, nil, nil, 1])
        #expect(row[0].map(\.real) == [nil, 7, 1.5, nil, nil, 1])
        #expect(row[0].map(\.blob) == [nil, nil, nil, nil, [1, 2], nil])
    }
}
