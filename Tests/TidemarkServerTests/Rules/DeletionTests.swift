import Testing
import TidemarkJSON
import TidemarkServer

@Suite("W7: deletions and tombstones", .overEachStorage)
struct DeletionTests {
    @Test func `W7 a delete leaves a tombstone that the feed shows`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let watermark = try server.list().watermark
        let result = try #require(try server.post(deleted("d", "1", version)).results.first)
        #expect(result.isAccepted)
        #expect(result.item?["is_active"] == false)
        let item = try #require(try server.list(after: watermark).items.first)
        let gone = JSON.number(JSONNumber(try #require(result.version)))
        #expect(item == ["pk": "1", "updated_at": gone, "is_active": false])
        #expect(server.get("1").status == 410)
    }

    @Test(arguments: [nil, 0, 5]) func `W7 a delete of a tombstone is accepted whatever the version`(named: Int?) throws
    {
        let server = try ServerHarness()
        let version = try server.make("1")
        let gone = try #require(try server.post(deleted("d", "1", version)).results.first?.version)
        let result = try #require(try server.post(deleted("again", "1", named)).results.first)
        #expect(result.isAccepted)
        #expect(result.version == gone)
    }

    @Test(arguments: [nil, 5]) func `W7 a delete of what is not there is accepted, item null`(named: Int?) throws {
        let server = try ServerHarness()
        let answer = try server.post(deleted("d", "1", named))
        #expect(answer.results.first?.isAccepted == true)
        #expect(answer.results.first?.json["item"]?.isNull == true)
        #expect(answer.items.isEmpty)
        #expect(server.get("1").status == 404)
    }

    @Test func `W7 a delete of a live row that names another version is conflicted`() throws {
        let server = try ServerHarness()
        try server.make("1")
        #expect(try server.post(deleted("d", "1", nil)).results.first?.isConflicted == true)
    }

    @Test func `W7 tombstones stay for the horizon, and are purged after it`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        _ = try server.post(deleted("d", "1", version))
        server.clock.advance(days: 89)
        #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)).tombstones == 0)
        #expect(server.get("1").status == 410)
        server.clock.advance(days: 2)
        #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)).tombstones == 1)
        #expect(server.get("1").status == 404)
        #expect(try server.list().items.isEmpty)
    }

    /// Five, of which a purge erases two at once.
    private func serverWithTombstones() throws -> ServerHarness {
        var limits = ServerLimits()
        limits.erasedAtOnce = 2
        let server = try ServerHarness(limits: limits)
        for number in 1...5 {
            let version = try server.make("\(number)")
            _ = try server.post(deleted("d\(number)", "\(number)", version))
        }
        return server
    }

    @Test func `W7 a purge goes by portions, and in the end all that is so old is gone`() throws {
        let server = try self.serverWithTombstones()
        let behind = try server.list().watermark
        try server.make("6")
        server.clock.advance(days: 91)
        #expect(
            try server.core.purge(olderThan: .seconds(90 * 86_400)) == ServerPurge(tombstones: 5, answers: 11))
        #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)) == ServerPurge(tombstones: 0, answers: 0))
        for number in 1...5 { #expect(server.get("\(number)").status == 404) }
        #expect(try server.list(after: behind).pks == ["6"], "who had seen them all misses none")
        #expect(server.get("6").status == 200)
    }

    @Test
    func `a purge ends behind a portion where its task is cancelled: who stops a server does not wait for all of it`()
        async throws
    {
        let server = try self.serverWithTombstones()
        server.clock.advance(days: 91)
        let purge = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try server.core.purge()
        }
        #expect(try await purge.value == ServerPurge(tombstones: 2, answers: 0))
        #expect(try server.core.purge() == ServerPurge(tombstones: 3, answers: 10))
    }

    @Test func `W7 the horizon is exact to the microsecond`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let tombstone = try #require(try server.post(deleted("d", "1", version)).results.first?.version)
        let horizon = Duration.milliseconds(1_500)
        server.clock.set(Int64(tombstone) + 1_500_000)
        #expect(try server.core.purge(olderThan: horizon).tombstones == 0)
        server.clock.set(Int64(tombstone) + 1_500_001)
        #expect(try server.core.purge(olderThan: horizon).tombstones == 1)
    }

    @Test func `W7 a purge leaves live rows alone, however old`() throws {
        let server = try ServerHarness()
        try server.make("1")
        server.clock.advance(days: 1_000)
        #expect(try server.core.purge(olderThan: .seconds(1)).tombstones == 0)
        #expect(server.get("1").status == 200)
    }
}
