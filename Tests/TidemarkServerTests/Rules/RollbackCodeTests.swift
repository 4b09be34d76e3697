import Testing
import TidemarkJSON
import TidemarkServer

/// A 410 reports whether the server lost acknowledged data, or only purged old deletions (W8, §6).
@Suite(.overEachStorage) struct RollbackCodeTests {
    private func code(_ server: ServerHarness, _ cursor: String) throws -> JSON? {
        let response = server.send("GET", "/v1/notes?max_updated_at=\(cursor)")
        #expect(response.status == 410)
        return try JSON(parsing: response.body)["code"]
    }

    @Test func `a cursor that was not assigned yet reports a rolled-back server (W8)`() throws {
        let (server, backup) = (try ServerHarness(), try ServerHarness())
        for harness in [server, backup] { try harness.make("1") }
        try server.make("2")
        #expect(try self.code(backup, try server.list().cursor) == "server-rolled-back")
    }

    @Test func `a cursor of another epoch reports a rolled-back server (W8)`() throws {
        let (server, other) = (try ServerHarness(epoch: "e1"), try ServerHarness(epoch: "e2"))
        for harness in [server, other] { try harness.make("1") }
        #expect(try self.code(server, try other.list().cursor) == "server-rolled-back")
    }

    @Test func `an old cursor, or one of another collection, reports no rollback (W8)`() throws {
        let server = try ServerHarness()
        try server.make("1")
        let early = try server.list().cursor
        let version = try server.make("2")
        _ = try server.post(deleted("d", "2", version))
        server.clock.advance(days: 100)
        _ = try server.core.purge()
        #expect(try self.code(server, early) == "history-lost")
        try server.make("1", in: "tags")
        #expect(try self.code(server, try server.list("tags").cursor) == "history-lost")
        #expect(try self.code(server, "anything") == "history-lost")
    }
}
