import Foundation
import Testing
import Tidemark
import TidemarkTesting

@Suite struct `Errors, times and ids in an app` {
    private func client() throws -> SyncClient {
        try SyncClient(store: .sqliteInMemory(), remote: InProcessRemote(try InProcessServer()), collections: ["notes"])
    }

    @Test func `an error has its message as the localized description`() async throws {
        let client = try self.client()
        let missing = await #expect(throws: TidemarkError.self) { try await client["notes"]["7"].delete() }
        #expect(missing?.localizedDescription == missing?.message)
        #expect(missing?.code == .noSuchRecord)
        let invalid = #expect(throws: JSONError.self) { try JSON(parsing: "[1,]") }
        #expect(invalid?.localizedDescription == invalid?.description)
        #expect(RemoteFailure(.busy, "Closed.").localizedDescription == "Closed.")
    }

    @Test func `a time becomes a date`() {
        #expect(Date(sinceEpoch: .milliseconds(1_700_000_000_250)) == Date(timeIntervalSince1970: 1_700_000_000.25))
        #expect(Date(sinceEpoch: .milliseconds(-250)) == Date(timeIntervalSince1970: -0.25))
    }

    @Test func `each time of a status, a report and an explanation is also a date`() async throws {
        let date = Date(timeIntervalSince1970: 7)
        let status = SyncStatus(
            collections: [SyncStatus.Collection(collection: "notes", lastInSync: .seconds(7))],
            run: SyncStatus.Run(
                budgetRenewal: .seconds(7), hints: .none(why: nil, next: .seconds(7)),
                collections: [.init(collection: "notes", phase: .waiting, next: .seconds(7))]))
        #expect(status.lastInSyncDate == date && status.lastInSyncDate(of: "notes") == date)
        #expect(status.collections.first?.lastInSyncDate == date)
        #expect(status.run?.budgetRenewalDate == date && status.run?.hints.nextTryDate == date)
        #expect(status.run?.collections.first?.nextDate == date)
        #expect(SyncStatus.Summary.waiting(until: .seconds(7), why: .init(.interrupted, "")).nextTryDate == date)
        #expect(SyncStatus.Summary.inSync.nextTryDate == nil && SyncStatus.Run.Hints.heard.nextTryDate == nil)
        #expect(SyncConfiguration.Event(.held, of: "notes", time: .seconds(7)).date == date)

        let network = PausedNetwork(InProcessRemote(try InProcessServer()))
        let notes = try SyncClient(store: .sqliteInMemory(), remote: network, collections: ["notes"])["notes"]
        try await notes.create(["n": 1], pk: "1")
        async let syncing = notes.sync()
        try await network.next().fail(RemoteFailure(.busy, "Closed."))
        let report = try #require(try await syncing.collections.first)
        let next = Date(sinceEpoch: try #require(report.nextTry))
        #expect(report.nextTryDate == next)
        #expect(try await notes["1"].explain().nextTryDate == next)
    }

    @Test func `the id of a value names its record by code point`() async throws {
        let client = try self.client()
        let notes = client["notes"]
        try await notes.create(["n": 1], pk: "e\u{301}")
        try await notes.create(["n": 2], pk: "\u{E9}")
        for note in try await notes.all().records {
            #expect(try await notes[note.id].get() == note.value)
            let value = try await client.transaction { (t) throws(TidemarkError) in try t["notes"][note.id].get() }
            #expect(value == note.value)
        }
        let id: CodePointString = "x"
        #expect(notes[id].pk == "x" && notes["x"].pk == "x")
        #expect(RecordInput(pk: id, content: [:]).pk == "x")
        #expect(ConflictDecision(.takeServer, collection: "notes", pk: id).pk == "x")
    }

    @Test func `an explanation has codes for its reason and its next step`() async throws {
        let notes = try self.client()["notes"]
        #expect(try await notes["7"].explain().reason == .absent)
        #expect(try await notes["7"].explain().step == .none)
        try await notes.create(["n": 1], pk: "7")
        #expect(try await notes["7"].explain().reason == .notSent)
        #expect(try await notes["7"].explain().step == .nextSync)
        _ = try await notes.sync()
        #expect(try await notes["7"].explain().reason == .synced)
    }
}
