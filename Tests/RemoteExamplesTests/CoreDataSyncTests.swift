import RemoteExamples
import Testing
import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

@Suite struct `The server of 2012` {
    private let server = FakeCoreDataSync()
    private let clock = ManualClock()

    static let checks = RemoteConformance.checks(for: CoreDataSyncServer { _ in HTTPAnswer(status: 503) }.capabilities)

    @Test(arguments: Self.checks)
    func `the remote passes each check of its capabilities`(check: RemoteConformance.Check) async throws {
        try await check.run { RowRemote(CoreDataSyncServer(send: FakeCoreDataSync().answer)) }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `two devices end equal, and nothing is lost`(seed: UInt64) async throws {
        let server = self.server
        let end = try await Story(seed: seed).run(server: server.answer, rows: { server.rows(in: "notes") }) {
            _, send in
            RowRemote(CoreDataSyncServer(send: send))
        }
        #expect(end.differences.isEmpty && end.lost.isEmpty, "\(end)")
        #expect(end.lostRequests + end.lostAnswers > 0 && end.kills > 0)
    }

    @Test func `the guarantees are those of the page`() {
        let guarantees = CoreDataSyncServer(send: self.server.answer).capabilities.guarantees
        expectGuaranteesOf2012(guarantees)
    }

    private func device(_ seed: UInt64) throws -> SyncClient {
        try RemoteExamplesTests.device(
            over: RowRemote(CoreDataSyncServer(send: self.server.answer)), clock: self.clock, seed: seed)
    }

    private func sync(_ devices: SyncClient...) async throws {
        try await syncInTurn(devices, self.clock)
    }

    @Test func `each edit names its own version, and only the changed members are sent`() async throws {
        let (phone, laptop) = (try self.device(1), try self.device(2))
        try await phone["notes"].create(["title": "Milk", "size": ["grams": 1, "parts": 2]], pk: "1")
        try await self.sync(phone, laptop)
        let version = try #require(self.server.rows(in: "notes")["1"]?["updated_at"])
        // The newest row of the phone is another one.
        try await phone["notes"].create(["title": "Tea"], pk: "2")
        try await self.sync(phone)
        try await phone["notes"]["1"].edit { $0["size"]?["grams"] = 3 }
        try await self.sync(phone)
        let post = try #require(self.server.posts.last)
        #expect(post["max_updated_at"] == version)
        #expect(post["items"] == [["size": ["grams": 3, "parts": 2], "pk": "1", "is_active": true]])
    }

    @Test func `a delete of an older row changes nothing, and the edit wins`() async throws {
        let (phone, laptop) = (try self.device(1), try self.device(2))
        try await phone["notes"].create(["title": "Milk"], pk: "1")
        try await self.sync(phone, laptop)
        try await laptop["notes"]["1"].edit { $0["title"] = "Oat milk" }
        try await self.sync(laptop)
        try await phone["notes"]["1"].delete()
        _ = try await phone.sync()
        #expect(self.server.rows(in: "notes")["1"]?["title"] == "Oat milk")
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

    /// The server has compared the laptop's edit, and writes it after the phone's.
    private func raceOfEdits(_ phoneMember: String, _ laptopMember: String) async throws -> (SyncClient, SyncClient) {
        let (phone, laptop) = (try self.device(1), try self.device(2))
        try await phone["notes"].create(["a": 0, "b": 0], pk: "1")
        try await self.sync(phone, laptop)
        try await phone["notes"]["1"].edit { $0[phoneMember] = 1 }
        try await laptop["notes"]["1"].edit { $0[laptopMember] = 2 }
        self.server.onNextWrite { _ = try? await phone.sync() }
        #expect(try await laptop.sync().outcome == .inSync)
        #expect(try await phone["notes"]["1"].explain().reason == .synced)
        try await self.sync(phone, laptop, phone)
        return (phone, laptop)
    }

    @Test func `edits of different members are both kept if both are compared before a write`() async throws {
        let (phone, laptop) = try await self.raceOfEdits("a", "b")
        for device in [phone, laptop] {
            let note = try await device["notes"]["1"].get()
            #expect(note?["a"] == 1 && note?["b"] == 2)
        }
    }

    @Test func `of two edits of the same member, both compared before a write, the lost one is journalled`()
        async throws
    {
        let (phone, laptop) = try await self.raceOfEdits("a", "a")
        for device in [phone, laptop] { #expect(try await device["notes"]["1"].get()?["a"] == 2) }
        let entries = try await phone["notes"].journal
        #expect(entries.map(\.reason) == [.overwritten])
        #expect(try entries.first?.lostValue == 1)
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

    @Test func `two rows of one millisecond are both read`() async throws {
        let (phone, laptop) = (try self.device(1), try self.device(2))
        self.server.setTick(0)
        try await phone["notes"].create(["title": "Milk"], pk: "1")
        try await self.sync(phone, laptop)
        try await phone["notes"].create(["title": "Tea"], pk: "2")
        try await self.sync(phone, laptop)
        #expect(try await laptop["notes"].list().map(\.pk).sorted() == ["1", "2"])
    }

    @Test func `a restored backup is noticed, and its lost rows are sent again`() async throws {
        let phone = try self.device(1)
        self.server.setTick(5_000)
        try await phone["notes"].create(["title": "Milk"], pk: "1")
        try await self.sync(phone)
        let restore = self.server.backUp()
        try await phone["notes"].create(["title": "Tea"], pk: "2")
        try await self.sync(phone)
        restore()
        for _ in 0..<3 {
            self.clock.advance(by: .seconds(600))
            _ = try await phone.sync()
        }
        let journal = try await phone["notes"].journal
        let isKept = self.server.rows(in: "notes")["2"] != nil || journal.contains { $0.reason == .serverRolledBack }
        #expect(isKept, "\(journal)")
    }
}

/// Both old servers compare and then write, and keep deletions.
func expectGuaranteesOf2012(_ guarantees: [SyncGuarantee: SyncGuarantee.Level]) {
    for guarantee in SyncGuarantee.allCases {
        let isAsPrinted =
            switch (guarantee, guarantees[guarantee]) {
            case (.noLostUpdates, .within(.seconds(2), _)), (.noSkippedRows, .within(.seconds(2), _)),
                (.convergence, .within(.seconds(2), _)), (.toleratesMessageLoss, .reported), (.noOrphans, .notKept):
                true
            case (.noLostUpdates, _), (.noSkippedRows, _), (.convergence, _), (.toleratesMessageLoss, _),
                (.noOrphans, _):
                false
            case (_, .kept): true
            default: false
            }
        #expect(isAsPrinted, "\(guarantee): \(String(describing: guarantees[guarantee]))")
    }
}
