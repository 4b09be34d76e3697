import PostgresForTests
import Synchronization
import TidemarkAdapters
import TidemarkCore
import TidemarkJSON
import TidemarkMachine

/// A backend of lists, tags, todos and notes in PostgreSQL. The keys between them are constraints of the database: each is checked
/// with its statement, and none is deferred or cascades.
///
/// **Decisions.**
///
/// - A record is a row with its JSON. A member that names another record is a column, too, which the database makes of the JSON; the
///   tags of a todo are rows of a table that a trigger keeps.
/// - A deletion is a row of `tombstones`, which are kept indefinitely.
/// - A write is one transaction. It first raises the version in `clock`, whose row is locked until the commit. So versions are
///   committed in their order, which is that of the feed, and a write sees every row with a lower version.
/// - An edit that violates a constraint is refused with the database's sentence: status 409 for a key, and 422 otherwise.
final class KeyedTables: RowServer {
    /// The references, as a client of this server declares them.
    static let references = ["lists": ["/parent": "lists"], "todos": ["/list": "lists", "/tags/*": "tags"]]

    private static let tables = ["lists", "tags", "todos", "notes"]

    private static let schema = """
        CREATE TABLE clock (version bigint NOT NULL);
        INSERT INTO clock VALUES (0);
        CREATE TABLE lists (
            pk text PRIMARY KEY, version bigint NOT NULL, data jsonb NOT NULL,
            parent text GENERATED ALWAYS AS (data ->> 'parent') STORED REFERENCES lists);
        CREATE TABLE tags (pk text PRIMARY KEY, version bigint NOT NULL, data jsonb NOT NULL);
        CREATE TABLE todos (
            pk text PRIMARY KEY, version bigint NOT NULL, data jsonb NOT NULL,
            list text GENERATED ALWAYS AS (data ->> 'list') STORED REFERENCES lists);
        CREATE TABLE todo_tags (
            todo text NOT NULL REFERENCES todos, tag text NOT NULL REFERENCES tags, PRIMARY KEY (todo, tag));
        CREATE TABLE notes (pk text PRIMARY KEY, version bigint NOT NULL, data jsonb NOT NULL);
        CREATE TABLE tombstones (
            collection text NOT NULL, pk text NOT NULL, version bigint NOT NULL, PRIMARY KEY (collection, pk));
        CREATE VIEW feed AS
            SELECT 'lists' AS collection, pk, version, data FROM lists
            UNION ALL SELECT 'tags', pk, version, data FROM tags
            UNION ALL SELECT 'todos', pk, version, data FROM todos
            UNION ALL SELECT 'notes', pk, version, data FROM notes
            UNION ALL SELECT collection, pk, version, NULL FROM tombstones;
        CREATE FUNCTION keep_tags() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            DELETE FROM todo_tags WHERE todo = old.pk;
            IF tg_op = 'DELETE' THEN RETURN old; END IF;
            INSERT INTO todo_tags SELECT DISTINCT new.pk, tag FROM jsonb_array_elements_text(new.data -> 'tags') tag;
            RETURN NULL;
        END $$;
        CREATE TRIGGER written AFTER INSERT OR UPDATE ON todos FOR EACH ROW EXECUTE FUNCTION keep_tags();
        CREATE TRIGGER deleted BEFORE DELETE ON todos FOR EACH ROW EXECUTE FUNCTION keep_tags();
        """

    /// A row of the feed as JSON, in one column.
    private static let rowAsJSON = "json_build_object('pk', pk, 'version', version, 'data', data)"

    private struct State {
        var keyRefusals: [String] = []
        var losesAnswers = false
        var writes = 0
    }

    private static let count = Atomic(0)

    private let connection: Mutex<PostgresClient>
    private let state = Mutex(State())

    /// Makes the tables in a new schema of the tests' database.
    init() throws {
        let name = "keyed_\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
        let client = try PostgresClient(try PostgresForTests.shared.get().address(of: "postgres"))
        try client.run("CREATE SCHEMA \(name); SET search_path = \(name); \(Self.schema)")
        self.connection = Mutex(client)
    }

    /// Versions are compared in the transaction of the write, and tombstones are kept.
    var capabilities: RemoteCapabilities { .rows(condition: .atomic, feed: .ordered, tombstones: .forever) }

    /// The edits that a key forbade, as `todos/1`, or `-lists/1` for a delete.
    var keyRefusals: [String] { self.state.withLock(\.keyRefusals) }

    /// Loses the answer to each second write from now on, or to none. So a request loses the answers after its first one, too.
    func loseAnswers(_ loses: Bool) { self.state.withLock { $0.losesAnswers = loses } }

    /// The pks of a table, in the order of their bytes.
    func pks(in table: String) throws -> [String] {
        try self.connection.withLock { try $0.run("SELECT pk FROM \(table) ORDER BY pk COLLATE \"C\"") }
    }

    /// Refuses writes of these records, as `lists/1`, by a constraint of the database from now on; rows that exist stay.
    func refuse(_ names: Set<String>) throws {
        for table in Self.tables {
            let pks = names.filter { $0.hasPrefix("\(table)/") }.map { "'\($0.dropFirst(table.count + 1))'" }.sorted()
            var sql = "ALTER TABLE \(table) DROP CONSTRAINT IF EXISTS liked;"
            if !pks.isEmpty {
                sql +=
                    "ALTER TABLE \(table) ADD CONSTRAINT liked CHECK (pk NOT IN (\(pks.joined(separator: ", ")))) NOT VALID"
            }
            try self.connection.withLock { _ = try $0.run(sql) }
        }
    }

    /// Lists the rows with a later version.
    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        let after = cursor.flatMap { Int64($0) } ?? 0
        let rows = try self.connection.withLock { (client) throws in
            try client.run(
                "SELECT \(Self.rowAsJSON) FROM feed WHERE collection = \(client.literal(collection)) AND version > \(after) "
                    + "ORDER BY version LIMIT \(limit)"
            ).map(Self.row)
        }
        return RowChanges(rows, cursor: rows.last?.version.text ?? cursor, hasMore: rows.count == limit)
    }

    /// Reads a row, or a tombstone.
    func row(_ name: String, in collection: String) async throws -> ServerRow? {
        try self.connection.withLock { (client) throws in
            try client.run(
                "SELECT \(Self.rowAsJSON) FROM feed "
                    + "WHERE collection = \(client.literal(collection)) AND pk = \(client.literal(name))"
            ).first.map(Self.row)
        }
    }

    /// Writes an edit if the row has its version.
    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        guard Self.tables.contains(collection) else { throw RemoteFailure(.notFound, "There is no such table.") }
        let record = try edit.record()
        let answer: RowAnswer
        do {
            let rows = try self.connection.withLock { (client) throws in
                try client.run(
                    "UPDATE clock SET version = version + 1; \(Self.statement(edit, record, in: collection, client))"
                ).map(Self.row)
            }
            answer = rows.first.map { .accepted($0) } ?? .conflicted(nil)
        } catch let failure as PostgresTrouble {
            guard let refusal = Self.refusal(failure) else { throw failure }
            if failure.state == foreignKeyViolation {
                let mark = edit.intent == .delete ? "-" : ""
                self.state.withLock { $0.keyRefusals.append("\(mark)\(collection)/\(edit.pk)") }
            }
            answer = refusal
        }
        let isLost = self.state.withLock { state in
            state.writes += 1
            return state.losesAnswers && state.writes.isMultiple(of: 2)
        }
        if isLost { throw RemoteFailure(.offline, "The answer was lost.") }
        return answer
    }

    /// The statement of a write, which returns no row if the version is not that of the edit.
    private static func statement(
        _ edit: UploadRequest, _ record: JSON?, in collection: String, _ client: PostgresClient
    ) throws -> String {
        let (name, pk) = (try client.literal(collection), try client.literal(edit.pk))
        let data = try client.literal(record?.text ?? "")
        // A record that was never there has version 0.
        let version = edit.versionText.flatMap { Int64($0) } ?? 0
        let tombstone = "collection = \(name) AND pk = \(pk)"
        return switch edit.intent {
        case .create:
            """
            WITH former AS (DELETE FROM tombstones WHERE \(tombstone) AND version = \(version))
            INSERT INTO \(collection) (pk, version, data) SELECT \(pk), version, \(data)::jsonb FROM clock
            WHERE coalesce((SELECT version FROM tombstones WHERE \(tombstone)), 0) = \(version) RETURNING \(Self.rowAsJSON)
            """
        case .edit:
            """
            WITH now AS (SELECT version AS next FROM clock)
            UPDATE \(collection) SET data = \(data), version = next FROM now
            WHERE pk = \(pk) AND version = \(version) RETURNING \(Self.rowAsJSON)
            """
        case .delete:
            """
            WITH gone AS (DELETE FROM \(collection) WHERE pk = \(pk) AND version = \(version) RETURNING pk)
            INSERT INTO tombstones (collection, pk, version) SELECT \(name), gone.pk, clock.version FROM gone, clock
            RETURNING json_build_object('pk', pk, 'version', version)
            """
        }
    }

    private static func row(_ text: String) throws -> ServerRow {
        let row = try JSON(parsing: text)
        let content = row["data"].flatMap { $0.object == nil ? nil : $0 }
        return ServerRow(pk: row["pk"]?.string ?? "", version: row["version"] ?? 0, content: content)
    }

    /// What an error of the database says about an edit; nil if that is nothing.
    private static func refusal(_ failure: PostgresTrouble) -> RowAnswer? {
        // The first line is “ERROR:  ” and the sentence.
        let line = failure.message.split(separator: "\n").first ?? ""
        let sentence = String(line.split(separator: "ERROR:").last?.drop { $0 == " " } ?? line[...])
        return switch failure.state {
        case uniqueViolation: .conflicted(nil)
        case foreignKeyViolation: .refused(status: 409, sentence)
        case checkViolation: .refused(status: 422, sentence)
        default: failure.state.hasPrefix(classOfValues) ? .refused(status: 422, sentence) : nil
        }
    }
}

// SQLSTATEs of PostgreSQL, and the beginning of those of invalid values.
private let foreignKeyViolation = "23503"
private let uniqueViolation = "23505"
private let checkViolation = "23514"
private let classOfValues = "22"
