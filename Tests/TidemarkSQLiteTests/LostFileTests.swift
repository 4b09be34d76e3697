import Foundation
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting
import Testing

/// Contract §3.2: a commit into a file that has lost its name would be lost with the process.
@Suite("The file of a store is lost while it is open", .timeLimit(.minutes(10)))
struct LostFileTests {
    /// What happens to the file.
    enum Loss: CaseIterable {
        case deleted, moved, folderMoved, replacedByCopy, replacedByOther, logDeleted, logMoved

        /// The words of the message.
        var words: String {
            switch self {
            case .deleted, .moved, .folderMoved: "the file, or its folder, was deleted or moved away"
            case .replacedByCopy, .replacedByOther: "the file was replaced by another one"
            case .logDeleted, .logMoved: "the log of the store was deleted or moved away"
            }
        }
    }

    /// A call of the app.
    enum Call: CaseIterable {
        case edit, create, delete, sync, status, upsert, forget
    }

    let root: TemporaryFolder
    let path: String
    let copy: String
    let other: String
    let server: InProcessServer
    let client: SyncClient
    var notes: SyncCollection<JSON> { self.client["notes"] }

    init() async throws {
        self.root = try TemporaryFolder()
        let folder = self.root.path("data")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        (self.path, self.copy, self.other) = (folder + "/a.db", self.root.path("copy.db"), self.root.path("other.db"))
        try SQLiteStore(path: self.path).close()
        try FileManager.default.copyItem(atPath: self.path, toPath: self.copy)
        try SQLiteStore(path: self.other).close()
        self.server = try InProcessServer()
        self.client = try Self.client(self.path, self.server)
        _ = try await self.notes.create(["t": "before"], pk: "1")
    }

    private static func client(_ path: String, _ server: InProcessServer) throws -> SyncClient {
        try SyncClient(
            store: try SQLiteStore(path: path), remote: InProcessRemote(server), configuration: SyncConfiguration(),
            time: server.clock, seed: 1)
    }

    private func inflict(_ loss: Loss) throws {
        let files = FileManager.default
        switch loss {
        case .deleted: try files.removeItem(atPath: self.path)
        case .moved: try files.moveItem(atPath: self.path, toPath: self.root.path("moved.db"))
        case .folderMoved: try files.moveItem(atPath: self.root.path("data"), toPath: self.root.path("elsewhere"))
        case .replacedByCopy:
            try files.removeItem(atPath: self.path)
            try files.copyItem(atPath: self.copy, toPath: self.path)
        case .replacedByOther:
            try files.moveItem(atPath: self.path, toPath: self.root.path("moved.db"))
            try files.moveItem(atPath: self.other, toPath: self.path)
        case .logDeleted: try files.removeItem(atPath: self.path + "-wal")
        case .logMoved: try files.moveItem(atPath: self.path + "-wal", toPath: self.root.path("moved-wal"))
        }
    }

    private func make(_ call: Call) async throws {
        switch call {
        case .edit: _ = try await self.notes["1"].edit { $0["t"] = "after" }
        case .create: _ = try await self.notes.create(["t": "new"], pk: "2")
        case .delete: _ = try await self.notes["1"].delete()
        case .sync: _ = try await self.notes.sync()
        case .status: _ = try await self.client.status
        case .upsert: _ = try await self.notes.upsert([RecordInput(pk: "3", content: ["t": "many"])])
        case .forget: try await self.notes.forget()
        }
    }

    @Test(arguments: Loss.allCases, Call.allCases)
    func `a call throws storeUnavailable, and reports what happened`(loss: Loss, call: Call) async throws {
        try self.inflict(loss)
        let error = await #expect(throws: TidemarkError.self) { try await self.make(call) }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.message.contains(loss.words) == true)
        #expect(error?.message.contains(self.path) == true)
    }

    @Test(arguments: [Loss.deleted, .moved, .folderMoved, .replacedByCopy, .replacedByOther, .logDeleted])
    func `reads continue without the change that was refused`(loss: Loss) async throws {
        try self.inflict(loss)
        _ = try? await self.notes["1"].edit { $0["t"] = "after" }
        #expect(try await self.notes["1"].get()?["t"] == "before")
    }

    @Test func `a file that was moved back continues`() async throws {
        try self.inflict(.moved)
        await #expect(throws: TidemarkError.self) { try await self.make(.edit) }
        try FileManager.default.moveItem(atPath: self.root.path("moved.db"), toPath: self.path)
        try await self.make(.edit)
        #expect(try await self.client.status.isInSync == false)
    }

    @Test(arguments: [true, false])
    func `a closed client leaves all its edits in a moved file`(wasRefused: Bool) async throws {
        try self.inflict(.moved)
        if wasRefused { await #expect(throws: TidemarkError.self) { try await self.make(.edit) } }
        await self.client.close()
        let reopened = try Self.client(self.root.path("moved.db"), self.server)
        #expect(try await reopened["notes"]["1"].get()?["t"] == "before")
    }

    @Test func `a refused commit saves the edits of a deleted log`() async throws {
        try self.inflict(.logDeleted)
        await #expect(throws: TidemarkError.self) { try await self.make(.edit) }
        // A copy of the file alone is what a crash leaves.
        try FileManager.default.copyItem(atPath: self.path, toPath: self.root.path("crash.db"))
        let reopened = try Self.client(self.root.path("crash.db"), self.server)
        #expect(try await reopened["notes"]["1"].get()?["t"] == "before")
    }

    @Test func `a transaction during which the file is moved is not committed`() async throws {
        await self.client.close()
        let store = try SQLiteStore(path: self.path)
        let error = #expect(throws: TidemarkError.self) {
            try store.commit { (store) throws(TidemarkError) in
                for number in 0..<100 { try store.save(edited("\(number)", bytes: 500), in: "c") }
                do { try self.inflict(.moved) } catch { throw TidemarkError(.invalidName, "\(error)") }
            }
        }
        #expect(error?.code == .storeUnavailable)
        #expect(try store.pks().isEmpty)
    }

    @Test(arguments: [true, false])
    func `a path without a store, but with the log of one, is not opened`(isEmpty: Bool) async throws {
        let log = try Data(contentsOf: URL(fileURLWithPath: self.path + "-wal"))
        #expect(!log.isEmpty)
        let path = self.root.path("alone.db")
        try log.write(to: URL(fileURLWithPath: path + "-wal"))
        if isEmpty { try Data().write(to: URL(fileURLWithPath: path)) }
        let error = #expect(throws: TidemarkError.self) { try SQLiteStore(path: path) }
        #expect(error?.code == .storeUnavailable)
        #expect(error?.message.contains("Put the file back beside its log") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == log)
        #expect(isEmpty || !FileManager.default.fileExists(atPath: path))
        // With its file the log is applied.
        if isEmpty { try FileManager.default.removeItem(atPath: path) }
        try FileManager.default.copyItem(atPath: self.path, toPath: path)
        let reopened = try Self.client(path, self.server)
        #expect(try await reopened["notes"]["1"].get()?["t"] == "before")
    }

    @Test func `the client's own checkpoints do not count as another program's writes`() async throws {
        let text = String(repeating: "x", count: 500_000)
        for number in 10..<34 { _ = try await self.notes.create(["t": .string(JSONString(text))], pk: "\(number)") }
        #expect(try await self.client.status.isInSync == false)
    }

    @Test func `a file with another time of its last write continues`() async throws {
        let time = Date(timeIntervalSince1970: 1)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: self.path)
        try await self.make(.edit)
        #expect(try await self.notes["1"].get()?["t"] == "after")
    }

    @Test func `a closed client does not delete the log of another store at its path`() async throws {
        try self.inflict(.moved)
        try FileManager.default.moveItem(atPath: self.path + "-wal", toPath: self.root.path("moved.db-wal"))
        // Another process has its own store there now; its log is the last copy of its edits.
        let other = try Self.client(self.other, self.server)
        _ = try await other["notes"].create(["t": "other"], pk: "2")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: self.other + suffix, toPath: self.path + suffix)
        }
        let log = try Data(contentsOf: URL(fileURLWithPath: self.path + "-wal"))
        await self.client.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: self.path + "-wal")) == log)
        let reopened = try Self.client(self.path, self.server)
        #expect(try await reopened["notes"]["2"].get()?["t"] == "other")
        let moved = try Self.client(self.root.path("moved.db"), self.server)
        #expect(try await moved["notes"]["1"].get()?["t"] == "before")
    }
}
