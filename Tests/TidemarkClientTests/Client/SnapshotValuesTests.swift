import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: snapshots and journal entries as values; the bytes are in `raw`.
@Suite struct SnapshotValuesTests {
    /// A client over a store with prepared contents.
    private func notes(
        _ prepare: (MemoryStore) throws(TidemarkError) -> Void = { _ in }
    ) throws -> SyncCollection<JSON> {
        let prepared = MemoryStore()
        try prepared.transaction { () throws(TidemarkError) in try prepare(prepared) }
        let server = try InProcessServer()
        return try SyncClient(
            store: MemoryStore(snapshot: prepared.snapshot), remote: InProcessRemote(server),
            configuration: SyncConfiguration(), time: server.clock,
            seed: 1
        )["notes"]
    }

    @Test func `a snapshot has content, confirmed content, version and pending patch as values`() async throws {
        let notes = try self.notes()
        try await notes.create(["n": 1], pk: "42")
        _ = try await notes.sync()
        try await notes["42"].edit { $0.n = 2 }
        let record = try #require(try await notes["42"].snapshot())
        #expect(record.collection == "notes")
        #expect(try record.content == ["n": 2])
        #expect(try record.confirmed == ["n": 1])
        #expect(try record.pendingPatch == JSONPatch(parsing: #"[{"op":"replace","path":"/n","value":2}]"#))
        #expect(try record.version?.text == record.raw.version)
        #expect(record.raw.version != nil)
        try await notes["42"].delete()
        #expect(try await notes["42"].snapshot()?.content == nil, "deleted here")
    }

    @Test func `a damaged record throws with its name when it is read, and hides no other record`() async throws {
        let notes = try self.notes { (store) throws(TidemarkError) in
            for (pk, text) in [("1", "{"), ("2", #"{"n":1}"#)] {
                let version = StoredVersion(version: "1", data: Array(text.utf8))
                try store.save(StoredRecord(pk: pk, phase: .synced, confirmed: version), in: "notes")
            }
        }
        let records = try await notes.list()
        #expect(records.map(\.pk) == ["1", "2"])
        let error = #expect(throws: TidemarkError.self) { try records[0].content }
        #expect(error?.code == .recordDamaged)
        #expect(error?.message.contains("“1” in notes") == true)
        #expect(try records[1].content == ["n": 1])
    }

    @Test func `a journal entry has its path and its lost value as values`() async throws {
        let notes = try self.notes()
        try await notes.create(["list": ["a"], "n": 1], pk: "42")
        _ = try await notes.sync()
        try await notes["42"].edit { $0.n = 2 }
        try await notes["42"].resign()
        let entry = try #require(try await notes.journal.first)
        #expect(entry.path == JSONPointer(tokens: ["n"]))
        #expect(try entry.lostValue == 2)
        #expect(try entry.version?.text == entry.raw.version)
        let made = JournalEntry(
            number: entry.number, pk: "42", reason: .resign, lostSide: .client, path: entry.path, lostValue: 2,
            version: try entry.version)
        #expect(made == entry)
    }

    @Test func `a damaged journal entry throws when its value is read, and hides no other entry`() async throws {
        let notes = try self.notes { (store) throws(TidemarkError) in
            for value in ["{", "1"] {
                _ = try store.append(
                    StoredJournalEntry(
                        pk: "1", reason: .merge, lost: .client, path: "/n", value: Array(value.utf8), version: nil),
                    in: "notes")
            }
        }
        let entries = try await notes.journal
        let error = #expect(throws: TidemarkError.self) { try entries[0].lostValue }
        #expect(error?.code == .recordDamaged)
        #expect(try entries[1].lostValue == 1)
    }
}
