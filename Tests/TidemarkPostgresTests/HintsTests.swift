import Dispatch
import PostgresForTests
import TestSupport
import Testing
import TidemarkJSON
import TidemarkPostgres
import TidemarkServer

@Suite("Hints across processes (Contract §10)", .overPostgres, .timeLimit(.minutes(10)))
struct HintsTests {
    private let database: TestDatabase

    init() throws {
        self.database = try TestDatabase()
    }

    /// A watch at a process, after its first hints were taken.
    private func watch(_ target: String, at process: ServerProcess) throws -> (ServerWatch, DispatchSemaphore) {
        let request = ServerRequest(
            method: "GET", target: "/v1/?watch=\(target)", headers: [("Accept", "text/event-stream")])
        guard case .events(let watch) = process.core.answer(request) else { throw PostgresTrouble("no watch") }
        let news = DispatchSemaphore(value: 0)
        _ = watch.take()
        watch.onNews { news.signal() }
        return (watch, news)
    }

    private func hints(at process: ServerProcess, listening: Duration, polling: Duration) throws -> PostgresHints {
        var pace = PostgresHints.Pace()
        pace.listening = listening
        pace.polling = polling
        return PostgresHints(try PostgresAddress(self.database.address), for: process.core, pace: pace)
    }

    @Test func `a watch at one process gets another's commit, with the cursor of a GET`() throws {
        let (near, far) = (try self.database.process(), try self.database.process())
        let hints = try self.hints(at: near, listening: .seconds(3_600), polling: .seconds(3_600))
        hints.start()
        defer { hints.stop() }
        try self.awaitListener()
        let (watch, news) = try self.watch("notes,%C3%A9,a%00b", at: near)
        defer { watch.end() }
        for name in ["notes", "%C3%A9", "a%00b"] {
            try far.make("1", in: name)
            #expect(news.wait(timeout: .now() + 20) == .success)
            let heard = watch.take()
            #expect(heard.map(\.cursor) == [try near.list(name).cursor])
        }
        try far.make("1", in: "others")
        try far.make("2", in: "notes")
        #expect(news.wait(timeout: .now() + 20) == .success)
        #expect(watch.take().map(\.collection) == ["notes"])
    }

    @Test func `a commit is announced later if no process listened`() throws {
        let (near, far) = (try self.database.process(), try self.database.process())
        let (watch, news) = try self.watch("notes", at: near)
        defer { watch.end() }
        try far.make("1")
        let hints = try self.hints(at: near, listening: .seconds(3_600), polling: .seconds(3_600))
        hints.start()
        defer { hints.stop() }
        #expect(news.wait(timeout: .now() + 20) == .success)
        #expect(watch.take().map(\.cursor) == [try far.list().cursor])
        try self.awaitListener()
        try self.database.endConnections()
        try far.make("2")
        #expect(news.wait(timeout: .now() + 20) == .success)
        #expect(watch.take().map(\.cursor) == [try far.list().cursor])
    }

    @Test func `a database without notifications is polled`() throws {
        let (near, far) = (try self.database.process(), try self.database.process())
        // The error of a database without notifications.
        try self.database.run(
            """
            CREATE SCHEMA shadow;
            CREATE FUNCTION shadow.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS
                'BEGIN RAISE feature_not_supported; END';
            ALTER DATABASE \(self.database.name) SET search_path = shadow, pg_catalog, public
            """)
        try self.database.endConnections()
        let hints = try self.hints(at: near, listening: .milliseconds(1), polling: .milliseconds(1))
        hints.start()
        defer { hints.stop() }
        let (watch, news) = try self.watch("notes", at: near)
        defer { watch.end() }
        for name in ["1", "2"] {
            try far.make(name)
            #expect(news.wait(timeout: .now() + 20) == .success)
            #expect(watch.take().map(\.cursor) == [try far.list().cursor])
        }
        #expect(far.heard.errors.isEmpty)
    }

    @Test func `a waiting notification blocks no POST, and is sent later`() throws {
        var timeouts = PostgresTimeouts()
        // Shorter than the POSTs below take: a notification with this limit would have failed before the gate opens.
        timeouts.lock = .milliseconds(1)
        // Simulates the lock that PostgreSQL takes for each commit with a notification.
        try self.database.run(
            """
            CREATE TABLE gate (); CREATE SCHEMA shadow;
            CREATE FUNCTION shadow.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS
                'BEGIN LOCK TABLE public.gate; PERFORM pg_catalog.pg_notify($1, $2); END';
            ALTER DATABASE \(self.database.name) SET search_path = shadow, pg_catalog, public
            """)
        let (near, far) = (try self.database.process(), try self.database.process(timeouts: timeouts))
        let hints = try self.hints(at: near, listening: .seconds(3_600), polling: .seconds(3_600))
        hints.start()
        defer { hints.stop() }
        try self.awaitListener()
        let (watch, news) = try self.watch("notes,tags", at: near)
        defer { watch.end() }
        let other = try PostgresClient(self.database.address)
        try other.run("BEGIN; LOCK TABLE public.gate")
        try far.make("1")
        try self.database.waitForLock()
        // These are answered while the first notification waits.
        try far.make("2")
        try far.make("1", in: "tags")
        try other.run("COMMIT")
        var heard: [String: String] = [:]
        while try heard.count < 2 || heard["notes"] != near.list().cursor {
            try #require(news.wait(timeout: .now() + 20) == .success)
            for hint in watch.take() { heard[hint.collection] = hint.cursor }
        }
        #expect(heard["tags"] == (try near.list("tags").cursor))
        #expect(far.heard.errors.isEmpty)
    }

    /// Waits until a process listens.
    private func awaitListener() throws {
        try blockUntil("a process listens") {
            try !self.database.run(
                "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
            ).isEmpty
        }
    }
}
