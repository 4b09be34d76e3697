import Testing
import TidemarkJSON
import TidemarkServer

@Suite("Deletions and tombstones (W7)", .overEachStorage)
struct DeletionTests {
    @Test func `a delete leaves a tombstone in the feed (W7)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let cursor = try server.list().cursor
        let result = try #require(try server.post(deleted("d", "1", version)).results.first)
        #expect(result.isAccepted)
        #expect(result.item?["is_active"] == false)
        let item = try #require(try server.list(after: cursor).items.first)
        let gone = JSON.number(JSONNumber(try #require(result.version)))
        #expect(item == ["pk": "1", "updated_at": gone, "is_active": false])
        #expect(server.get("1").status == 410)
    }

    @Test(arguments: [nil, 0, 5]) func `a delete of a tombstone is accepted with any version (W7)`(named: Int?) throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let gone = try #require(try server.post(deleted("d", "1", version)).results.first?.version)
        let result = try #require(try server.post(deleted("again", "1", named)).results.first)
        #expect(result.isAccepted)
        #expect(result.version == gone)
    }

    @Test(arguments: [nil, 5]) func `a delete of an unknown record is accepted with item null (W7)`(named: Int?) throws
    {
        let server = try ServerHarness()
        let answer = try server.post(deleted("d", "1", named))
        #expect(answer.results.first?.isAccepted == true)
        #expect(answer.results.first?.json["item"]?.isNull == true)
        #expect(answer.items.isEmpty)
        #expect(server.get("1").status == 404)
    }

    @Test func `a delete of a live row with another version is conflicted (W7)`() throws {
        let server = try ServerHarness()
        try server.make("1")
        #expect(try server.post(deleted("d", "1", nil)).results.first?.isConflicted == true)
    }

    @Test func `tombstones are kept for the horizon, and purged after it (W7)`() throws {
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

    /// A server with five tombstones, of which a purge erases two at once.
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

    @Test func `a purge works in portions, until all old tombstones and answers are gone (W7)`() throws {
        let server = try self.serverWithTombstones()
        let behind = try server.list().cursor
        try server.make("6")
        server.clock.advance(days: 91)
        #expect(
            try server.core.purge(olderThan: .seconds(90 * 86_400)) == ServerPurge(tombstones: 5, answers: 11))
        #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)) == ServerPurge(tombstones: 0, answers: 0))
        for number in 1...5 { #expect(server.get("\(number)").status == 404) }
        #expect(try server.list(after: behind).pks == ["6"], "a reader that has read them all misses none")
        #expect(server.get("6").status == 200)
    }

    @Test
    func `a cancelled purge ends after the current portion`()
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

    @Test func `the horizon is exact to the microsecond (W7)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let tombstone = try #require(try server.post(deleted("d", "1", version)).results.first?.version)
        let horizon = Duration.milliseconds(1_500)
        server.clock.set(Int64(tombstone) + 1_500_000)
        #expect(try server.core.purge(olderThan: horizon).tombstones == 0)
        server.clock.set(Int64(tombstone) + 1_500_001)
        #expect(try server.core.purge(olderThan: horizon).tombstones == 1)
    }

    @Test func `a purge does not change live rows of any age (W7)`() throws {
        let server = try ServerHarness()
        try server.make("1")
        server.clock.advance(days: 1_000)
        #expect(try server.core.purge(olderThan: .seconds(1)).tombstones == 0)
        #expect(server.get("1").status == 200)
    }
}
