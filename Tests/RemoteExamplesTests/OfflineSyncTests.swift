import RemoteExamples
import Testing
import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

@Suite struct `The server of 2013` {
    private let server = FakeOfflineSync()
    private let clock = ManualClock()

    /// The server writes whole objects, and compares their stamps: it has no edit of a missing object, and a delete of a
    /// deleted object is a conflict with its tombstone, which the client resolves.
    static let others: Set<String> = [
        "W1 an edit of an unknown record is conflicted, and its result has no record",
        "W1 an edit over a tombstone is conflicted, even with its version",
        "W7 a delete of a tombstone, or of an unknown record, is accepted with any version",
        "a delete of a record that is gone is accepted",
    ]

    static let checks = RemoteConformance.checks(for: OfflineSyncServer { _ in HTTPAnswer(status: 503) }.capabilities)
        .filter { !Self.others.contains($0.name) }

    @Test(arguments: Self.checks)
    func `the remote passes each check of its capabilities`(check: RemoteConformance.Check) async throws {
        try await check.run { RowRemote(OfflineSyncServer(send: FakeOfflineSync().answer)) }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `two devices end equal, and nothing is lost`(seed: UInt64) async throws {
        let server = self.server
        let end = try await Story(seed: seed).run(server: server.answer, rows: { server.rows(in: "notes") }) {
            _, send in
            RowRemote(OfflineSyncServer(send: send))
        }
        #expect(end.differences.isEmpty && end.lost.isEmpty, "\(end)")
        #expect(end.lostRequests + end.lostAnswers > 0 && end.kills > 0)
    }

    @Test func `the guarantees are those of the page`() {
        expectGuaranteesOf2012(OfflineSyncServer(send: self.server.answer).capabilities.guarantees)
    }

    private func device(_ seed: UInt64) throws -> SyncClient {
        try RemoteExamplesTests.device(
            over: RowRemote(OfflineSyncServer(send: self.server.answer)), clock: self.clock, seed: seed,
            collections: ["notes", "tasks"])
    }

    private func sync(_ devices: SyncClient...) async throws {
        try await syncInTurn(devices, self.clock)
    }

    @Test func `one request has all edits of a class, and the rows of other classes are dropped`() async throws {
        let (phone, laptop) = (try self.device(1), try self.device(2))
        for pk in ["1", "2"] { try await phone["notes"].create(["title": "Milk"], pk: pk) }
        try await phone["tasks"].create(["title": "Buy milk"], pk: "3")
        try await self.sync(phone, laptop)
        let sent = self.server.posts.compactMap { $0["modified_entities"]?.array?.count }
        #expect(sent.filter { $0 > 0 } == [2, 1])
        #expect(try await laptop["notes"].list().map(\.pk) == ["1", "2"])
        #expect(try await laptop["tasks"].list().map(\.pk) == ["3"])
    }

    @Test func `a record that the server does not save is refused, and other records are saved`() async throws {
        let phone = try self.device(1)
        try await phone["notes"].create(["title": .string(String(repeating: "x", count: 256))], pk: "1")
        try await phone["notes"].create(["title": "Milk"], pk: "2")
        #expect(try await phone.sync().outcome == .held)
        #expect(try await phone["notes"].status.held.map(\.pk) == ["1"])
        #expect(try await phone["notes"]["2"].explain().reason == .synced)
        try await phone["notes"]["1"].edit { $0["title"] = "Short" }
        try await self.sync(phone)
        #expect(self.server.rows(in: "notes")["1"]?["title"] == "Short")
        // The server's row is in the answer, because of the 2 seconds that are read again.
        try await phone["notes"]["1"].edit { $0["title"] = .string(String(repeating: "y", count: 256)) }
        #expect(try await phone.sync().outcome == .held)
        #expect(try await phone["notes"].journal.isEmpty)
    }

    @Test func `a removed member becomes null, and a removed nested member is removed`() async throws {
        let (phone, laptop) = (try self.device(1), try self.device(2))
        try await phone["notes"].create(["title": "Milk", "size": ["grams": 1, "parts": 2], "price": 1], pk: "1")
        try await self.sync(phone)
        try await phone["notes"]["1"].edit {
            $0["size"]?["parts"] = nil
            $0["price"] = nil
        }
        try await self.sync(phone, laptop, phone)
        for device in [phone, laptop] {
            let note = try await device["notes"]["1"].get()
            #expect(note?["size"] == ["grams": 1] && note?["price"]?.isNull == true)
        }
        let journal = try await phone["notes"].journal
        #expect(journal.map(\.reason) == [.altered] && journal.first?.path.text == "/price")
    }

    @Test func `after an error within a request nothing is doubled, and no conflict is reported`() async throws {
        let (phone, laptop) = (try self.device(1), try self.device(2))
        for pk in ["1", "2", "3"] { try await phone["notes"].create(["title": "Milk"], pk: pk) }
        try await self.sync(phone, laptop)
        for pk in ["1", "2", "3"] { try await phone["notes"][pk].edit { $0["title"] = "Oat milk" } }
        self.server.failOnce(after: 2)
        _ = try await phone["notes"].sync()
        #expect(try await phone["notes"]["1"].explain().reason == .unconfirmed)
        for _ in 0..<3 {
            self.clock.advance(by: .seconds(600))
            _ = try await phone.sync()
        }
        try await self.sync(phone, laptop)
        #expect(try await phone["notes"].journal.isEmpty)
        #expect(try await laptop["notes"]["3"].get()?["title"] == "Oat milk")
    }

    @Test func `an edit overwritten between the check and the write of another is sent again`() async throws {
        let (phone, laptop) = (try self.device(1), try self.device(2))
        try await phone["notes"].create(["a": 0, "b": 0], pk: "1")
        try await self.sync(phone, laptop, phone)
        try await phone["notes"]["1"].edit { $0["a"] = 1 }
        try await laptop["notes"]["1"].edit { $0["b"] = 2 }
        self.server.onNextWrite { _ = try? await phone["notes"].sync() }
        #expect(try await laptop["notes"].sync().outcome == .inSync)
        // The laptop has sent the whole record.
        #expect(self.server.rows(in: "notes")["1"]?["a"] == 0)
        #expect(try await phone["notes"]["1"].explain().reason == .synced)
        self.clock.advance(by: .seconds(1))
        #expect(try await phone["notes"].sync().outcome == .inSync)
        try await self.sync(phone, laptop)
        for device in [phone, laptop] {
            let note = try await device["notes"]["1"].get()
            #expect(note?["a"] == 1 && note?["b"] == 2)
        }
        let journal = try await phone["notes"].journal
        #expect(journal.map(\.reason) == [.overwritten] && journal.first?.path.text == "/a")
    }

    @Test func `a deletion is an entity, and an edit of an older row is conflicted`() async throws {
        let (phone, laptop) = (try self.device(1), try self.device(2))
        try await phone["notes"].create(["title": "Milk"], pk: "1")
        try await self.sync(phone, laptop)
        try await phone["notes"]["1"].delete()
        try await self.sync(phone)
        #expect(self.server.posts.contains { $0["modified_entities"]?[0]?["is_deleted"] == true })
        try await self.sync(laptop)
        #expect(try await laptop["notes"]["1"].get() == nil)
    }

    @Test func `a row that is visible after its time is read by the overlap`() async throws {
        let (phone, laptop, reader) = (try self.device(1), try self.device(2), try self.device(3))
        try await phone["notes"].create(["title": "Milk"], pk: "1")
        try await laptop["notes"].create(["title": "Tea"], pk: "2")
        self.server.onNextWrite {
            _ = try? await laptop.sync()
            _ = try? await reader.sync()
        }
        try await self.sync(phone)
        #expect(try await reader["notes"].list().map(\.pk) == ["2"])
        try await self.sync(reader)
        #expect(try await reader["notes"].list().map(\.pk).sorted() == ["1", "2"])
    }
}
