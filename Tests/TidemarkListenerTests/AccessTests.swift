import Synchronization
import Testing
import TidemarkJSON
import TidemarkListener
import TidemarkServer

@Suite("The access log", .timeLimit(.minutes(10)))
struct AccessTests {
    /// The logged entries.
    private final class Log: Sendable {
        private let entries = Mutex<[AccessEntry]>([])

        var all: [AccessEntry] { self.entries.withLock { $0 } }

        func add(_ entry: AccessEntry) { self.entries.withLock { $0.append(entry) } }
    }

    @Test func `each request is logged once, without a secret or the content of a record`()
        throws
    {
        let log = Log()
        let server = try RunningServer(tokens: ["s3cret"], log: { log.add($0) })
        let key = "Authorization: Bearer s3cret\n"
        _ = try server.answer("POST", "/v1/notes", headers: key, body: RunningServer.create("the-pk"))
        _ = try server.answer("GET", "/v1/notes/the-pk", headers: key)
        _ = try server.answer("GET", "/v1/notes?max_updated_at=x", headers: "Authorization: Bearer gu3ss\n")
        _ = try server.answer("GET", "/healthz")
        _ = try server.answer("GET", "/elsewhere", headers: key)
        let entries = log.all
        #expect(entries.map(\.kind) == [.post, .item, .list, .operations, .other])
        #expect(entries.map(\.status) == [200, 200, 401, 200, 404])
        #expect(entries.map(\.method) == ["POST", "GET", "GET", "GET", "GET"])
        #expect(entries[0].received == RunningServer.create("the-pk").count)
        #expect(entries[0].account == entries[1].account && entries[0].account != nil)
        #expect(entries[2].account == nil)
        #expect(Set(entries.map(\.id)).count == 5)
        #expect(entries.allSatisfy { $0.address == "127.0.0.1" && $0.duration > .zero })
        for entry in entries {
            let text = String(decoding: entry.line, as: UTF8.self)
            #expect(try JSON(parsing: text)["status"]?.int == entry.status)
            for word in ["s3cret", "gu3ss", "the-pk", "notes"] { #expect(!text.contains(word), "\(text)") }
        }
    }

    @Test func `the answer and the log use a proxy's request id, unless it is unsafe`() throws {
        let log = Log()
        let server = try RunningServer(log: { log.add($0) })
        let given = try server.answer("GET", "/v1/notes", headers: "X-Request-Id: abc-1_2.3\n")
        #expect(given["x-request-id"] == "abc-1_2.3")
        for bad in ["a b", "a\"b", String(repeating: "a", count: 129), "é"] {
            let made = try server.answer("GET", "/v1/notes", headers: "X-Request-Id: \(bad)\n")
            #expect(made["x-request-id"] != bad)
            #expect(made["x-request-id"]?.count == 16)
        }
        #expect(log.all.first?.id == "abc-1_2.3")
    }

    @Test func `a watch is logged when it begins, and metrics count answers`() throws {
        let log = Log()
        let server = try RunningServer(log: { log.add($0) })
        let (client, head) = try server.watchAndHead()
        #expect(log.all.map(\.kind) == [.hints])
        #expect(log.all.first.map { head.contains("X-Request-Id: \($0.id)\r\n") } == true, "\(head)")
        #expect(log.all.first?.account == "open")
        let metrics = try server.answer("GET", "/metrics").text
        #expect(metrics.contains(#"tidemark_requests_total{request="hints",status="200"} 1"#))
        #expect(metrics.contains("\ntidemark_open_watches 1\n"))
        withExtendedLifetime(client) {}
    }
}
