import Foundation
import TestSupport
import Testing
import TidemarkDatabase

/// The copies beside a process that writes are made by `tidemark-proof copies`, see ProofToolTests.
@Suite struct `A copy of a database file` {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: self.folder.url.appending(path: "copies"), withIntermediateDirectories: false)
    }

    private func copy(budget: Int64? = nil) throws -> DatabaseFileCopy {
        try DatabaseFileCopy.make(of: self.folder.path("a.db"), in: self.folder.path("copies"), budget: budget)
    }

    /// A database of one row, which is closed, with its log if that is left.
    private func makeDatabase(leavingLog: Bool = false) throws {
        let database = try open("made.db", in: self.folder)
        try database.execute("CREATE TABLE t (x); INSERT INTO t VALUES (42)")
        if leavingLog {
            for end in ["", "-wal"] { try self.folder.write(self.folder.read("made.db\(end)"), to: "a.db\(end)") }
        }
        database.close()
        if !leavingLog { try self.folder.write(self.folder.read("made.db"), to: "a.db") }
    }

    private var copies: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: self.folder.path("copies")) }
    }

    @Test(arguments: [false, true])
    func `has the committed rows, for this user only, and is removed`(hasLog: Bool) throws {
        try self.makeDatabase(leavingLog: hasLog)
        let before = try self.folder.read("a.db")
        let copy = try self.copy()
        let attributes = FileManager.default.attributesOfItem
        let parent = URL(fileURLWithPath: copy.path).deletingLastPathComponent().path
        #expect(try attributes(copy.path)[.posixPermissions] as? Int == 0o600)
        #expect(try attributes(parent)[.posixPermissions] as? Int == 0o700)
        let database = try DatabaseConnection(.file(copy.path))
        copy.remove()
        #expect(try self.copies == [])
        #expect(try database.integer("SELECT x FROM t") == 42)
        #expect(try self.folder.read("a.db") == before)
    }

    /// A process that closes a file loses its locks on it: another process could write to the file then, and the commits of
    /// one of them would be lost.
    @Test func `is refused in the process that has the file open`() throws {
        try self.makeDatabase()
        let claim = try DatabaseClaim(self.folder.path("a.db"))
        let error = #expect(throws: DatabaseError.self) { try self.copy() }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("this process has the file open; read it through its client") == true)
        claim.release()
        try self.copy().remove()
    }

    @Test func `is not made of a file that is being made, and ends with the budget`() throws {
        try self.makeDatabase()
        try self.folder.write("a journal", to: "a.db-journal")
        let error = #expect(throws: DatabaseError.self) { try self.copy(budget: 1 << 20) }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("no copy of it was whole after 1048576 bytes") == true)
        #expect(try self.copies == [])
    }

    @Test func `of a file that is larger than the budget is not made`() throws {
        try self.makeDatabase(leavingLog: true)
        let error = #expect(throws: DatabaseError.self) { try self.copy(budget: 5_000) }
        #expect(error?.code == .busy)
        #expect(try self.copies == [])
    }

    /// SQLite has the log beside the file that a link leads to.
    @Test func `of a linked file has its log`() throws {
        try self.makeDatabase(leavingLog: true)
        let link = self.folder.path("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: self.folder.path("a.db"))
        let copy = try DatabaseFileCopy.make(of: link, in: self.folder.path("copies"))
        defer { copy.remove() }
        #expect(try DatabaseConnection(.file(copy.path)).integer("SELECT x FROM t") == 42)
    }

    @Test func `of a missing file says so, and leaves nothing`() throws {
        let error = #expect(throws: DatabaseError.self) { try self.copy() }
        #expect(error?.code == .cannotOpen)
        #expect(try self.copies == [])
    }

    /// The number of a process is at most 2^22 on Linux, and 99,998 on Apple's systems.
    @Test func `removes what a dead process left, and nothing else`() throws {
        try self.makeDatabase()
        let (dead, living) = ("tidemark-copy-2000000000-abcdef", "tidemark-copy-\(getpid())-abcdef")
        for name in [dead, living, "tidemark-copy-x-abcdef", "other-2000000000-abcdef"] {
            try self.folder.write("text", to: "copies/\(name)/copy.db")
        }
        try self.folder.write("text", to: "kept/copy.db")
        let link = self.folder.path("copies/tidemark-copy-2000000001-abcdef")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: self.folder.path("kept"))
        try self.copy().remove()
        let left = try Set(self.copies)
        #expect(!left.contains(dead) && left.count == 4, "\(left)")
        #expect(self.folder.exists("kept/copy.db"))
    }
}
