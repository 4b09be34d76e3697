import Foundation
import TestSupport
import Testing
import TidemarkJSON
import TidemarkServer

@Suite("A restored backup (W8)", .overEachStorage)
struct RestoredBackupTests {
    /// A server's file, or its database, closed between two runs, which can be restored to an earlier state.
    private struct Shelf {
        let folder: TemporaryFolder
        let clock = ManualClock()
        var path: String { self.folder.path("server.db") }
        var backup: String { self.folder.path("backup.db") }

        init() throws {
            self.folder = try TemporaryFolder()
        }

        func run<Outcome>(_ work: (ServerHarness) throws -> Outcome) throws -> Outcome {
            // The file is closed with the harness.
            try work(ServerHarness(.file(self.path), clock: self.clock))
        }

        func makeBackup() throws {
            if let storage = StorageOfTest.present { return try storage.copy(self.path, to: self.backup) }
            try FileManager.default.copyItem(atPath: self.path, toPath: self.backup)
        }

        func restore() throws {
            if let storage = StorageOfTest.present { return try storage.copy(self.backup, to: self.path) }
            for end in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: self.path + end) {
                try FileManager.default.removeItem(atPath: self.path + end)
            }
            try FileManager.default.copyItem(atPath: self.backup, toPath: self.path)
        }
    }

    private func code(_ response: ServerResponse) throws -> String? {
        try JSON(parsing: response.body)["code"]?.string
    }

    @Test func `each device that was ahead gets 410 (W8, backup-noticed-by-the-first-only)`()
        throws
    {
        let shelf = try Shelf()
        let (old, ahead) = try shelf.run { server throws in
            try server.make("1")
            let old = try server.list().cursor
            return (old, old)
        }
        try shelf.makeBackup()
        let lost = try shelf.run { server throws in
            try server.make("2")
            return try server.list().cursor
        }
        #expect(ahead != lost)
        try shelf.restore()
        shelf.clock.set(shelf.clock.now + 1_000_000)
        try shelf.run { server throws in
            // The laptop comes first, starts a full resync, and writes past the lost version.
            #expect(server.send("GET", ServerHarness.target("notes", lost, nil)).status == 410)
            try server.make("3")
            let late = server.send("GET", ServerHarness.target("notes", lost, nil))
            #expect(late.status == 410)
            #expect(try self.code(late) == "server-rolled-back")
            // A reader that was not ahead has missed nothing.
            #expect(try server.list(after: old).pks == ["3"])
        }
    }

    @Test func `the incarnation distinguishes a version that two histories assigned (W8)`() throws {
        let shelf = try Shelf()
        _ = try shelf.run { try $0.make("1") }
        try shelf.makeBackup()
        // The clock stops: both histories assign the same next version.
        let lost = try shelf.run { server throws in
            try server.make("2")
            return try server.list()
        }
        try shelf.restore()
        try shelf.run { server throws in
            try server.make("3")
            let now = try server.list()
            #expect(now.items.last?["updated_at"] == lost.items.last?["updated_at"])
            #expect(server.send("GET", ServerHarness.target("notes", lost.cursor, nil)).status == 410)
            #expect(try server.list(after: now.cursor).items.isEmpty)
        }
    }

    @Test func `a cursor between two pages is 410, since unread rows may be below it now (W8)`()
        throws
    {
        let shelf = try Shelf()
        try shelf.run { server throws in
            try server.make("1")
            try server.make("2")
        }
        try shelf.makeBackup()
        let (between, end) = try shelf.run { server throws in
            try server.make("3")
            let first = try server.list(limit: 1).cursor
            return (first, try server.list(after: first, limit: 1).cursor)
        }
        try shelf.restore()
        shelf.clock.set(shelf.clock.now + 1_000_000)
        try shelf.run { server throws in
            for mark in [between, end] {
                let answer = server.send("GET", ServerHarness.target("notes", mark, nil))
                #expect(try self.code(answer) == "server-rolled-back")
            }
            try server.make("4")
            #expect(server.send("GET", ServerHarness.target("notes", between, nil)).status == 410)
        }
    }

    @Test(arguments: ["GET", "POST"])
    func `a seen cursor that the restore lost is refused before any edit is applied (W8)`(method: String) throws {
        let shelf = try Shelf()
        let cursor = try shelf.run { server throws in
            try server.make("1")
            return try server.list().cursor
        }
        try shelf.makeBackup()
        let seen = try shelf.run { server throws in
            try server.post(created("r", "2", ["a": 1]), after: cursor).cursor
        }
        try shelf.restore()
        try shelf.run { server throws in
            func check() throws {
                for place in [cursor, "", nil] {
                    let refused = server.ask(method, after: place, seen: seen)
                    #expect(refused.status == 410)
                    #expect(try self.code(refused) == "server-rolled-back")
                }
            }
            try check()
            // Another device writes while the clock stops, so that its version equals the lost one.
            try server.make("3")
            try check()
            #expect(server.get("new").status == 404)
            // A client that has not seen the lost data, and one without a newest cursor.
            #expect(server.ask(method, after: cursor, seen: cursor).status == 200)
            #expect(server.ask(method, after: cursor, seen: nil).status == 200)
        }
    }

    @Test(arguments: ["GET", "POST"])
    func `rolled back takes precedence over too old (W8)`(method: String) throws {
        let shelf = try Shelf()
        let cursor = try shelf.run { server throws in
            let version = try server.make("1")
            let cursor = try server.list().cursor
            _ = try server.post(deleted("d", "1", version))
            shelf.clock.advance(days: 100)
            _ = try server.core.purge(olderThan: .seconds(90 * 86_400))
            return cursor
        }
        try shelf.makeBackup()
        let seen = try shelf.run { server throws in
            try server.make("2")
            return try server.list().cursor
        }
        try shelf.restore()
        try shelf.run { server throws in
            #expect(try self.code(server.ask(method, after: cursor, seen: nil)) == "history-lost")
            #expect(try self.code(server.ask(method, after: cursor, seen: seen)) == "server-rolled-back")
            #expect(server.get("new").status == 404)
        }
    }

    @Test func `every cursor stays valid after restarts without a backup, even of a page (W8)`() throws {
        let shelf = try Shelf()
        var marks: [String] = []
        for name in ["1", "2", "3"] {
            marks += try shelf.run { server throws in
                try server.make(name)
                try server.make("\(name)b")
                let first = try server.list(limit: 1).cursor
                return [first, try server.list().cursor]
            }
        }
        try shelf.run { server throws in
            #expect(try marks.map { try server.list(after: $0).pks.count } == [5, 4, 5, 2, 5, 0])
            #expect(marks.map { server.ask("GET", after: marks.last, seen: $0).status } == marks.map { _ in 200 })
            #expect(try server.list("never").cursor.utf8.count < 100)
        }
    }

    @Test func `a cursor from a purge that the backup does not contain is 410 (W8, S06)`() throws {
        let shelf = try Shelf()
        try shelf.run { server throws in
            let version = try server.make("1")
            _ = try server.post(deleted("d", "1", version))
            try server.make("2")
        }
        try shelf.makeBackup()
        shelf.clock.advance(days: 100)
        let later = try shelf.run { server throws in
            #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)).tombstones == 1)
            return try server.list().cursor
        }
        try shelf.restore()
        try shelf.run { server throws in
            let answer = server.send("GET", ServerHarness.target("notes", later, nil))
            #expect(answer.status == 410)
            #expect(try self.code(answer) == "server-rolled-back")
        }
    }

    @Test func `a purge after the restore differs from the one that was lost (W8)`() throws {
        let shelf = try Shelf()
        let (version, other) = try shelf.run { server throws in
            try server.make("0")
            let first = try server.make("1")
            let other = try server.make("2")
            _ = try server.post(deleted("d1", "1", first))
            return (first, other)
        }
        #expect(version < other)
        try shelf.makeBackup()
        shelf.clock.advance(days: 100)
        // The first page of a full resync that began after the purge: its cursor is below the horizon, and valid because of
        // that.
        let page = try shelf.run { server throws in
            _ = try server.core.purge(olderThan: .seconds(90 * 86_400))
            return try server.list(limit: 2)
        }
        #expect(page.pks == ["0", "2"])
        try shelf.restore()
        try shelf.run { server throws in
            _ = try server.post(deleted("d2", "2", other))
            shelf.clock.advance(days: 100)
            _ = try server.core.purge(olderThan: .seconds(90 * 86_400))
            #expect(server.send("GET", ServerHarness.target("notes", page.cursor, nil)).status == 410)
        }
    }

    @Test func `the horizon is exactly the last purged tombstone (W8, S13)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let last = try server.make("2")
        _ = try server.post(deleted("d1", "1", version))
        let between = try server.list().cursor
        server.clock.advance(days: 1)
        let stays = server.clock.now
        _ = try server.post(deleted("d2", "2", last))
        server.clock.advance(days: 90)
        // A purge of everything before exactly the version of the second tombstone, which is kept.
        #expect(server.clock.now - 90 * 86_400_000_000 == stays)
        #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)).tombstones == 1)
        #expect(try server.list(after: between).pks == ["2"])
        server.clock.set(server.clock.now + 1)
        #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)).tombstones == 1)
        #expect(server.send("GET", ServerHarness.target("notes", between, nil)).status == 410)
    }
}
