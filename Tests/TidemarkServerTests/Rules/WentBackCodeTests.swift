import Testing
import TidemarkJSON
import TidemarkServer

/// A 410 says whether the server has lost what it acknowledged, or only forgotten old deletions (SPEC W8, §6).
@Suite(.overEachStorage) struct WentBackCodeTests {
    private func code(_ server: ServerHarness, _ watermark: String) throws -> JSON? {
        let response = server.send("GET", "/v1/notes?max_updated_at=\(watermark)")
        #expect(response.status == 410)
        return try JSON(parsing: response.body)["code"]
    }

    @Test func `W8 a watermark not handed out yet says that the server went back`() throws {
        let (server, backup) = (try ServerHarness(), try ServerHarness())
        for harness in [server, backup] { try harness.make("1") }
        try server.make("2")
        #expect(try self.code(backup, try server.list().watermark) == "server-went-back")
    }

    @Test func `W8 a watermark of another epoch says that the server went back`() throws {
        let (server, other) = (try ServerHarness(epoch: "e1"), try ServerHarness(epoch: "e2"))
        for harness in [server, other] { try harness.make("1") }
        #expect(try self.code(server, try other.list().watermark) == "server-went-back")
    }

    @Test func `W8 a watermark older than the horizon, or of another collection, does not`() throws {
        let server = try ServerHarness()
        try server.make("1")
        let early = try server.list().watermark
        let version = try server.make("2")
        _ = try server.post(deleted("d", "2", version))
        server.clock.advance(days: 100)
        _ = try server.core.purge()
        #expect(try self.code(server, early) == "history-lost")
        try server.make("1", in: "tags")
        #expect(try self.code(server, try server.list("tags").watermark) == "history-lost")
        #expect(try self.code(server, "anything") == "history-lost")
    }
}
