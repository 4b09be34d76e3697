import Testing
import TidemarkJSON
import TidemarkServer

@Suite("W3: versions grow strictly, in commit order", .overEachStorage)
struct VersionTests {
    @Test func `W3 a version is the clock's microseconds`() throws {
        let server = try ServerHarness()
        #expect(try server.make("1") == Int(server.clock.now))
    }

    @Test func `W3 versions grow by one when the clock stands still`() throws {
        let server = try ServerHarness()
        let answer = try server.post(
            created("a", "1", ["a": 1]), created("b", "2", ["a": 1]), created("c", "3", ["a": 1]))
        let first = Int(server.clock.now)
        #expect(answer.results.map(\.version) == [first, first + 1, first + 2])
    }

    @Test func `W3 versions go on growing when the clock goes back`() throws {
        let server = try ServerHarness()
        let first = try server.make("1")
        server.clock.set(5)
        #expect(try server.make("2") == first + 1)
        server.clock.set(Int64(first) + 100)
        #expect(try server.make("3") == first + 100)
    }

    @Test func `W3 a version never comes twice, not even when its row was deleted and purged`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let gone = try #require(try server.post(deleted("d", "1", version)).results.first?.version)
        let now = server.clock.now
        server.clock.advance(days: 100)
        #expect(try server.core.purge(olderThan: .seconds(86_400)) == ServerPurge(tombstones: 1, answers: 2))
        server.clock.set(now)
        #expect(try server.make("2") > gone)
    }

    @Test func `W3 items come in commit order, each record once, at its last version`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        try server.make("2")
        _ = try server.post(setting("r", "1", version, to: 9))
        let items = try server.list().items
        #expect(items.compactMap { $0["pk"]?.string } == ["2", "1"])
        let versions = items.compactMap { $0["updated_at"]?.int }
        #expect(versions == versions.sorted())
    }

    @Test func `W3 nothing that is committed later falls below a watermark that was shown`() throws {
        let server = try ServerHarness()
        try server.make("1")
        let watermark = try server.list().watermark
        server.clock.set(1)
        try server.make("2")
        #expect(try server.list(after: watermark).pks == ["2"])
    }

    @Test func `each collection has a line of versions of its own`() throws {
        let server = try ServerHarness()
        let first = try server.make("1", in: "notes")
        #expect(try server.make("1", in: "tasks") == first)
    }
}
