import Foundation
import TestSupport
import Testing
import TidemarkJSON
import TidemarkServer

@Suite("W8: after a restored backup", .overEachStorage)
struct RestoredBackupTests {
    /// A server's file, or its database, closed between two runs, which can be put back to what it was.
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

    @Test func `W8 backup-noticed-by-the-first-only: each device that was ahead is told, also after another one wrote`()
        throws
    {
        let shelf = try Shelf()
        let (old, ahead) = try shelf.run { server throws in
            try server.make("1")
            let old = try server.list().watermark
            return (old, old)
        }
        try shelf.makeBackup()
        let lost = try shelf.run { server throws in
            try server.make("2")
            return try server.list().watermark
        }
        #expect(ahead != lost)
        try shelf.restore()
        shelf.clock.set(shelf.clock.now + 1_000_000)
        try shelf.run { server throws in
            // The laptop comes first, lists anew, and writes past the version that was lost.
            #expect(server.send("GET", ServerHarness.target("notes", lost, nil)).status == 410)
            try server.make("3")
            let late = server.send("GET", ServerHarness.target("notes", lost, nil))
            #expect(late.status == 410)
            #expect(try self.code(late) == "server-went-back")
            // Who was not ahead has missed nothing.
            #expect(try server.list(after: old).pks == ["3"])
        }
    }

    @Test func `W8 a version that two histories gave out is told apart by who gave it out`() throws {
        let shelf = try Shelf()
        _ = try shelf.run { try $0.make("1") }
        try shelf.makeBackup()
        // The clock stands still: both histories give out the same next version.
        let lost = try shelf.run { server throws in
            try server.make("2")
            return try server.list()
        }
        try shelf.restore()
        try shelf.run { server throws in
            try server.make("3")
            let now = try server.list()
            #expect(now.items.last?["updated_at"] == lost.items.last?["updated_at"])
            #expect(server.send("GET", ServerHarness.target("notes", lost.watermark, nil)).status == 410)
            #expect(try server.list(after: now.watermark).items.isEmpty)
        }
    }

    @Test func `W8 who stood between two pages is told, since what was still to come may be below where they stand`()
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
            let first = try server.list(limit: 1).watermark
            return (first, try server.list(after: first, limit: 1).watermark)
        }
        try shelf.restore()
        shelf.clock.set(shelf.clock.now + 1_000_000)
        try shelf.run { server throws in
            for mark in [between, end] {
                let answer = server.send("GET", ServerHarness.target("notes", mark, nil))
                #expect(try self.code(answer) == "server-went-back")
            }
            try server.make("4")
            #expect(server.send("GET", ServerHarness.target("notes", between, nil)).status == 410)
        }
    }

    @Test(arguments: ["GET", "POST"])
    func `W8 seen that a restore has lost is refused before an edit is applied`(method: String) throws {
        let shelf = try Shelf()
        let cursor = try shelf.run { server throws in
            try server.make("1")
            return try server.list().watermark
        }
        try shelf.makeBackup()
        let seen = try shelf.run { server throws in
            try server.post(created("r", "2", ["a": 1]), after: cursor).watermark
        }
        try shelf.restore()
        try shelf.run { server throws in
            func check() throws {
                for place in [cursor, "", nil] {
                    let refused = server.ask(method, after: place, seen: seen)
                    #expect(refused.status == 410)
                    #expect(try self.code(refused) == "server-went-back")
                }
            }
            try check()
            // Another device writes: the clock stands still, so that its version is the one that was lost.
            try server.make("3")
            try check()
            #expect(server.get("new").status == 404)
            // A client that has seen nothing of it, and one that names no newest token.
            #expect(server.ask(method, after: cursor, seen: cursor).status == 200)
            #expect(server.ask(method, after: cursor, seen: nil).status == 200)
        }
    }

    @Test(arguments: ["GET", "POST"])
    func `W8 rolled back wins over too old, where seen was lost and the cursor is old`(method: String) throws {
        let shelf = try Shelf()
        let cursor = try shelf.run { server throws in
            let version = try server.make("1")
            let cursor = try server.list().watermark
            _ = try server.post(deleted("d", "1", version))
            shelf.clock.advance(days: 100)
            _ = try server.core.purge(olderThan: .seconds(90 * 86_400))
            return cursor
        }
        try shelf.makeBackup()
        let seen = try shelf.run { server throws in
            try server.make("2")
            return try server.list().watermark
        }
        try shelf.restore()
        try shelf.run { server throws in
            #expect(try self.code(server.ask(method, after: cursor, seen: nil)) == "history-lost")
            #expect(try self.code(server.ask(method, after: cursor, seen: seen)) == "server-went-back")
            #expect(server.get("new").status == 404)
        }
    }

    @Test func `W8 restarts without a backup keep every watermark good, that of each page too`() throws {
        let shelf = try Shelf()
        var marks: [String] = []
        for name in ["1", "2", "3"] {
            marks += try shelf.run { server throws in
                try server.make(name)
                try server.make("\(name)b")
                let first = try server.list(limit: 1).watermark
                return [first, try server.list().watermark]
            }
        }
        try shelf.run { server throws in
            #expect(try marks.map { try server.list(after: $0).pks.count } == [5, 4, 5, 2, 5, 0])
            #expect(marks.map { server.ask("GET", after: marks.last, seen: $0).status } == marks.map { _ in 200 })
            #expect(try server.list("never").watermark.utf8.count < 100)
        }
    }

    @Test func `W8 a watermark of a purge that a restored backup has not seen is 410 (S06)`() throws {
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
            return try server.list().watermark
        }
        try shelf.restore()
        try shelf.run { server throws in
            let answer = server.send("GET", ServerHarness.target("notes", later, nil))
            #expect(answer.status == 410)
            #expect(try self.code(answer) == "server-went-back")
        }
    }

    @Test func `W8 a purge after the restore is not the one that was lost with it`() throws {
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
        // The first page of a listing that began after the purge: below the horizon, and good for that.
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
            #expect(server.send("GET", ServerHarness.target("notes", page.watermark, nil)).status == 410)
        }
    }

    @Test func `W8 the horizon is the last tombstone that is gone, exactly (S13)`() throws {
        let server = try ServerHarness()
        let version = try server.make("1")
        let last = try server.make("2")
        _ = try server.post(deleted("d1", "1", version))
        let between = try server.list().watermark
        server.clock.advance(days: 1)
        let stays = server.clock.now
        _ = try server.post(deleted("d2", "2", last))
        server.clock.advance(days: 90)
        // A purge of all before exactly the version of the second tombstone: that one stays.
        #expect(server.clock.now - 90 * 86_400_000_000 == stays)
        #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)).tombstones == 1)
        #expect(try server.list(after: between).pks == ["2"])
        server.clock.set(server.clock.now + 1)
        #expect(try server.core.purge(olderThan: .seconds(90 * 86_400)).tombstones == 1)
        #expect(server.send("GET", ServerHarness.target("notes", between, nil)).status == 410)
    }
}
