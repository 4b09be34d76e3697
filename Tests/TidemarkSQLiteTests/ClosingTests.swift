import Foundation
import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite struct `Closing and erasing a store` {
    let folder: TemporaryFolder
    let server: InProcessServer

    init() throws {
        self.folder = try TemporaryFolder()
        self.server = try InProcessServer()
    }

    private func client() throws(TidemarkError) -> SyncClient {
        try SyncClient(
            store: SQLiteStore(.file(self.folder.path("a.db"))), remote: InProcessRemote(self.server),
            configuration: SyncConfiguration(),
            time: self.server.clock, seed: 1)
    }

    @Test func `two-clients-on-one-file: the second client's error suggests one shared client`() async throws {
        let first = try self.client()
        let error = #expect(throws: TidemarkError.self) { _ = try self.client() }
        #expect(error?.code == .storeBusy)
        #expect(error?.message.contains("share one client") == true)
        try await first["notes"].create(["n": 1], pk: "42")
    }

    @Test func `another client opens the file after close() and finds all records`() async throws {
        let first = try self.client()
        let changes = first["notes"].changes
        try await first["notes"].create(["n": 1], pk: "42")
        await first.close()
        #expect(!FileManager.default.fileExists(atPath: self.folder.path("a.db-wal")), "the log is in the file")
        #expect(try self.openFiles().isEmpty)
        let second = try self.client()
        #expect(try await second["notes"]["42"].get() == ["n": 1])
        for await change in changes { #expect(change.change?.pk == "42") }
    }

    @Test func `the time of the last sync survives a restart, and forget() clears it`()
        async throws
    {
        let first = try self.client()
        _ = try await first.sync(["notes"])
        await first.close()
        let time = self.server.clock.now
        self.server.clock.advance(by: .seconds(3_600))
        let second = try self.client()
        #expect(try await second.status.lastInSync(of: "notes") == time)
        try await second["notes"].forget()
        #expect(try await second.status.lastInSync(of: "notes") == nil)
    }

    /// The files of the folder that this process has open; empty if the system doesn't report them.
    private func openFiles() throws -> [String] {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.compactMap { number in
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        }.filter { $0.hasPrefix(self.folder.path("a.db")) }
    }

    @Test func `after a sign-out the file is small and holds no former content`() async throws {
        let client = try self.client()
        for number in 0..<200 {
            try await client["notes"].create(["text": "a secret of someone", "n": .number(.init(number))])
        }
        _ = try await client.sync()
        try await client.set("remote", to: "a secret of someone")
        try await client.erase()
        let bytes = try self.folder.read("a.db")
        #expect(bytes.count < 120_000)
        #expect(Data(bytes).range(of: Data("secret".utf8)) == nil)
        #expect(!FileManager.default.fileExists(atPath: self.folder.path("a.db-wal")))
        let next = try self.client()
        #expect(try await next.account == nil)
        #expect(try await next.setting("remote") == nil)
        #expect(try await next.collectionNames.isEmpty)
        _ = try await next.sync(["notes"])
        #expect(try await next["notes"].status.counts == [.synced: 200], "the server keeps what it has")
    }
}
