import Testing
import TidemarkJSON
import TidemarkServer

@Suite("W8: runs of the server that are forgotten", .overEachStorage)
struct ForgottenRunTests {
    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private var path: String { self.folder.file("server.db") }

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// A server that was started anew.
    private func server() throws -> ServerHarness {
        try ServerHarness(.file(self.path), clock: self.clock)
    }

    private func runs() throws -> Int64 { try StorageOfTest.number("SELECT count(*) FROM run", in: self.path) }

    @Test func `a purge forgets the runs below the horizon, but for the newest of them (W8)`() throws {
        var version = 0
        for pk in ["1", "2", "3", "4"] { version = try self.server().make(pk) }
        let below = try self.server().list(limit: 1).watermark
        let gone = try self.server().post(deleted("d", "4", version)).watermark
        try self.server().make("new")
        #expect(try self.runs() == 6)
        let all = try self.server().list().watermark
        self.clock.advance(days: 100)
        do {
            let server = try self.server()
            #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)).tombstones == 1)
        }
        #expect(try self.runs() == 2)
        let server = try self.server()
        #expect(try server.list(after: all).pks == [])
        #expect(try server.list(after: gone).pks == ["new"])
        // From before the purge, and below the horizon: what it may have missed was purged, which is no other history.
        let refused = server.send("GET", "/v1/notes?max_updated_at=\(below)")
        #expect(refused.status == 410)
        #expect(try JSON(parsing: refused.body)["code"] == "history-lost")
    }

    @Test func `a listing goes on below the horizon where no run is known any more (W8)`() throws {
        var version = 0
        for pk in ["1", "2", "3"] { version = try self.server().make(pk) }
        _ = try self.server().post(deleted("d", "3", version))
        self.clock.advance(days: 100)
        do {
            let server = try self.server()
            _ = try server.core.purge(olderThan: .seconds(90 * 86_400))
            try server.make("new")
        }
        var page = try self.server().list(limit: 1)
        var seen = page.pks
        while page.hasMore == true {
            page = try self.server().list(after: page.watermark, limit: 1)
            seen += page.pks
        }
        #expect(seen == ["1", "2", "new"])
    }
}
