import Testing
import TidemarkJSON
import TidemarkServer

@Suite("Versions grow strictly, in commit order (W3)", .overEachStorage)
struct VersionTests {
    @Test func `a version is the clock's time in microseconds (W3)`() throws {
        let server = try ServerHarness()
        #expect(try server.make("1") == Int(server.clock.now))
    }

    @Test func `versions grow by one while the clock stops (W3)`() throws {
        let server = try ServerHarness()
        let answer = try server.post(
            created("a", "1", ["a": 1]), created("b", "2", ["a": 1]), created("c", "3", ["a": 1]))
        let first = Int(server.clock.now)
        #expect(answer.results.map(\.version) == [first, first + 1, first + 2])
    }

    @Test func `versions continue to grow if the clock is set back (W3)`() throws {
        let server = try ServerHarness()
        let first = try server.make("1")
        server.clock.set(5)
        #expect(try server.make("2") == first + 1)
        server.clock.set(Int64(first) + 100)
        #expect(try server.make("3") == first + 100)
    }

    @Test func `a version never occurs twice, even after a deletion and a purge (W3)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let gone = try #require(try server.post(deleted("d", "1", version)).results.first?.version)
        let now = server.clock.now
        server.clock.advance(days: 100)
        #expect(try server.core.purge(olderThan: .seconds(86_400)) == ServerPurge(tombstones: 1, answers: 2))
        server.clock.set(now)
        #expect(try server.make("2") > gone)
    }

    @Test func `items are in commit order, each record once, at its last version (W3)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        try server.make("2")
        _ = try server.post(setting("r", "1", version, to: 9))
        let items = try server.list().items
        #expect(items.compactMap { $0["pk"]?.string } == ["2", "1"])
        let versions = items.compactMap { $0["updated_at"]?.int }
        #expect(versions == versions.sorted())
    }

    @Test func `later commits never get versions below a returned cursor (W3)`() throws {
        let server = try ServerHarness()
        try server.make("1")
        let cursor = try server.list().cursor
        server.clock.set(1)
        try server.make("2")
        #expect(try server.list(after: cursor).pks == ["2"])
    }

    @Test func `each collection has separate versions`() throws {
        let server = try ServerHarness()
        let first = try server.make("1", in: "notes")
        #expect(try server.make("1", in: "tasks") == first)
    }
}
