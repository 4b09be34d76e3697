import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// An error of an app.
private struct SoldOut: Error {}

@Suite("Transactions over records and collections (R25)") struct TransactionTests {
    fileprivate let server: InProcessServer
    fileprivate let client: SyncClient

    init() async throws {
        self.server = try InProcessServer()
        var configuration = SyncConfiguration()
        configuration["todos"].fields = try FieldRules([("/count", .sum)])
        configuration.limits.transactionRecords = 5
        configuration.limits.transactionReads = 12
        self.client = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: configuration,
            time: self.server.clock, seed: 1)
        try await self.client["lists"].create(["name": "Home"], pk: "home")
        try await self.client["todos"].create(["list": "home", "count": 5], pk: "1")
        try await self.client["todos"].create(["list": "home", "count": 1], pk: "2")
        _ = try await self.client.sync()
    }

    /// All that the app sees.
    private var views: [String: [String]] {
        get async throws {
            var views: [String: [String]] = [:]
            for name in ["lists", "todos", "tags"] {
                views[name] = try await self.client[name].list().compactMap { record in
                    try record.content.map { "\(record.pk) \($0.text)" }
                }
            }
            return views
        }
    }

    @Test func `changes of several collections are stored together, and see each other`() async throws {
        let edits = try await self.client.transaction { (t) throws(TidemarkError) in
            let work = try t["lists"].create(["name": "Work"])
            for todo in try t["todos"].all(RecordQuery(where: JSONField<String>("/list") == "home")).records {
                try t["todos"][todo.pk].edit { $0.list = JSON(work.pk) }
            }
            try t["lists"]["home"].delete()
            #expect(try t["todos"].count(RecordQuery(where: JSONField<String>("/list") == work.pk)) == 2)
            #expect(try t["lists"]["home"].get() == nil)
            return t.edits
        }
        #expect(edits.map(\.collection) == ["lists", "todos", "todos", "lists"])
        #expect(try await self.client["lists"].list(states: [.deleted]).map(\.pk) == ["home"])
        #expect(try await self.client.sync().outcome == .inSync)
        try await self.client.transaction { (t) throws(TidemarkError) in _ = try t.undo(edits) }
        #expect(try await self.client["todos"]["1"].get()?.list == "home")
        #expect(try await self.client["lists"].list().map(\.pk).contains("home"))
    }

    @Test func `a closure that throws changes nothing, and the caller gets its error`() async throws {
        let before = try await self.views
        await #expect(throws: SoldOut.self) {
            try await self.client.transaction { t in
                try t["tags"].create(["name": "red"], pk: "red")
                try t["todos"]["1"].edit { $0.done = true }
                throw SoldOut()
            }
        }
        #expect(try await self.views == before)
        #expect(try await self.client["todos"]["1"].snapshot()?.phase == .synced)
    }

    @Test func `a disk that is full at any write changes nothing`() async throws {
        for write in 0..<40 {
            let store = MemoryStore()
            try store.transaction { () throws(TidemarkError) in try store.set("n", to: "1") }
            store.failNextWrite(after: write, with: TidemarkError(.storeFull, "The disk is full."))
            let client = try SyncClient(
                store: store, remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
                time: self.server.clock, seed: 3)
            do throws(TidemarkError) {
                try await client.transaction { (t) throws(TidemarkError) in
                    try t["lists"].create(["name": "Work"], pk: "work")
                    try t["todos"].create(["list": "work"], pk: "3")
                    try t["lists"]["work"].edit { $0.color = "red" }
                    try t["tags"].create(["name": "red"], pk: "red")
                }
            } catch {
                #expect(error.code == .storeFull)
                for name in ["lists", "todos", "tags"] {
                    #expect(try await client[name].list().isEmpty, "\(name), write \(write)")
                }
                continue
            }
            #expect(write > 4)
            #expect(try await client["lists"]["work"].get()?.color == "red")
            // The planned failure may be of a write of this sync.
            _ = try? await client.sync()
            #expect(try await client.sync().outcome == .inSync)
            return
        }
        Issue.record("no try succeeded")
    }

    @Test func `an error after a write fails the transaction, also if the closure catches it`() async throws {
        let before = try await self.views
        let error = await #expect(throws: TidemarkError.self) {
            try await self.client.transaction { (t) throws(TidemarkError) in
                for number in 0..<9 { _ = try? t["tags"].create(["n": JSON(number)]) }
            }
        }
        #expect(error?.code == .transactionTooLarge)
        #expect(try await self.views == before)
    }

    @Test func `an error before a write can be caught`() async throws {
        try await self.client.transaction { (t) throws(TidemarkError) in
            _ = try? t["lists"].create(["name": "Twice"], pk: "home")
            _ = try? t["todos"]["unknown"].delete()
            _ = try? t["todos"]["1"].edit { $0 = 3 }
            try t["tags"].create(["name": "red"], pk: "red")
        }
        #expect(try await self.client["tags"]["red"].get() != nil)
    }

    @Test func `a transaction that is used after its end throws, and changes nothing`() throws {
        let engine = try SyncEngine(store: MemoryStore(), configuration: SyncConfiguration(), seed: 1)
        var kept: RecordTransaction?
        _ = try engine.transact { (t) throws(TidemarkError) in kept = t }
        let error = #expect(throws: TidemarkError.self) { try kept?["tags"].create(["n": 1]) }
        #expect(error?.code == .transactionMisused)
        #expect(try engine.snapshots(in: "tags", states: [.created], after: nil, limit: 1).isEmpty)
    }

    @Test func `several changes of a record are one edit, and a create that is deleted is none`() async throws {
        let edits = try await self.client.transaction { (t) throws(TidemarkError) in
            try t["todos"]["1"].edit { $0.n = 1 }
            try t["tags"].create(["n": 1], pk: "red")
            try t["todos"]["1"].edit { $0.n = 2 }
            try t["tags"]["red"].delete()
            return t.edits
        }
        #expect(edits.map { $0.patch.operations.count } == [1])
        #expect(try await self.client["todos"]["1"].get()?.n == 2)
        #expect(try await self.client["tags"].list().isEmpty)
        let back = try await self.client.transaction { (t) throws(TidemarkError) in
            try t["todos"]["2"].edit { $0.n = 1 }
            try t["todos"]["2"].edit { $0.n = nil }
            return t.edits
        }
        #expect(back.map { $0.patch.operations.count } == [0])
        #expect(try await self.client["todos"]["2"].snapshot()?.phase == .synced)
    }

    @Test func `a draft counts a sum once, and is not saved by a failed transaction`() async throws {
        var draft = try await self.client["todos"]["1"].draft()
        draft.value.count = 6
        let first = draft
        await #expect(throws: SoldOut.self) {
            try await self.client.transaction { t in
                try t.save(first)
                throw SoldOut()
            }
        }
        #expect(draft.hasChanges)
        draft.value.count = 7
        let second = draft
        try await self.client.transaction { (t) throws(TidemarkError) in
            try t.save(first)
            try t.save(second)
        }
        #expect(try await self.client["todos"]["1"].get()?.count == 7)
    }

    @Test func `a query that reads too many records is refused`() async throws {
        for number in 0..<4 {
            try await self.client["many"].upsert(
                (0..<4).map { RecordInput(pk: "\(number)-\($0)", content: ["n": JSON(number)]) })
        }
        let error = await #expect(throws: TidemarkError.self) {
            try await self.client.transaction { (t) throws(TidemarkError) in
                try t["many"].count(RecordQuery(where: JSONField<Int>("/n") == 1))
            }
        }
        #expect(error?.code == .transactionTooLarge)
        #expect(error?.message.contains("declare an index") == true)
    }

    @Test func `an edit of one collection and an answer of another keep their numbers apart`() async throws {
        let ids = try await self.client.transaction { (t) throws(TidemarkError) in
            [
                try t["lists"].create(["n": 1]).pk, try t["todos"].create(["n": 1]).pk,
                try t["tags"].create(["n": 1]).pk, try t["lists"].create(["n": 1]).pk,
            ]
        }
        #expect(Set(ids).count == 4)
        #expect(try await self.client.sync().outcome == .inSync)
        for name in ["lists", "todos", "tags"] {
            #expect(try await self.client[name].list(states: [.created, .edited, .deleted]).isEmpty)
        }
    }

    @Test func `a collection outside of the client's is refused`() async throws {
        let client = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            collections: ["lists"], time: self.server.clock, seed: 2)
        let error = await #expect(throws: TidemarkError.self) {
            try await client.transaction { (t) throws(TidemarkError) in
                try t["lists"].create(["n": 1], pk: "1")
                try t["todo"].create(["n": 1])
            }
        }
        #expect(error?.code == .unknownCollection)
        #expect(try await client["lists"]["1"].get() == nil)
    }
}

// MARK: - What a transaction refuses

extension TransactionTests {
    @Test func `the closure of an edit can't change records by itself`() async throws {
        let error = await #expect(throws: TidemarkError.self) {
            try await self.client.transaction { (t) throws(TidemarkError) in
                try t["todos"]["1"].edit { (todo) throws(TidemarkError) in
                    todo.n = 1
                    try t["todos"]["1"].edit { $0.m = 2 }
                }
            }
        }
        #expect(error?.code == .transactionMisused)
        #expect(try await self.client["todos"]["1"].snapshot()?.phase == .synced)
        try await self.client.transaction { (t) throws(TidemarkError) in
            try t["todos"]["1"].edit { (todo) throws(TidemarkError) in
                todo.n = JSON(try t["todos"].count())
            }
        }
        #expect(try await self.client["todos"]["1"].get()?.n == 2)
    }

    @Test func `a draft of another client's record is refused`() async throws {
        let other = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            time: self.server.clock, seed: 4)
        _ = try await other.sync(["todos"])
        var draft = try await other["todos"]["1"].draft()
        draft.value.count = 9
        let foreign = draft
        let error = await #expect(throws: TidemarkError.self) {
            try await self.client.transaction { (t) throws(TidemarkError) in _ = try t.save(foreign) }
        }
        #expect(error?.code == .transactionMisused)
        #expect(try await self.client["todos"]["1"].get()?.count == 5)
    }

    @Test func `an edit that changed nothing is undone although its record has changed since`() async throws {
        let edits = try await self.client.transaction { (t) throws(TidemarkError) in
            try t["todos"]["1"].edit { $0.count = 6 }
            try t["todos"]["2"].edit { $0.n = 1 }
            try t["todos"]["2"].edit { $0.n = nil }
            return t.edits
        }
        try await self.client["todos"]["2"].delete()
        try await self.client.transaction { (t) throws(TidemarkError) in _ = try t.undo(edits) }
        #expect(try await self.client["todos"]["1"].get()?.count == 5)
    }

    @Test func `a limit below 1 counts as 1`() async throws {
        var configuration = SyncConfiguration()
        configuration.limits.transactionRecords = 0
        let client = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: configuration,
            time: self.server.clock, seed: 5)
        try await client.transaction { (t) throws(TidemarkError) in _ = try t["tags"].create(["n": 1], pk: "red") }
        let found = try await client.transaction { (t) throws(TidemarkError) in
            try t["tags"].all().records.map(\.pk)
        }
        #expect(found == ["red"])
    }

    @Test func `half an undo is not stored, also if the closure catches its error`() async throws {
        let edits = try await self.client.transaction { (t) throws(TidemarkError) in
            try t["todos"]["1"].edit { $0.n = 1 }
            try t["todos"]["2"].edit { $0.n = 1 }
            return t.edits
        }
        try await self.client["todos"]["1"].edit { $0.n = 2 }
        let error = await #expect(throws: TidemarkError.self) {
            try await self.client.transaction { (t) throws(TidemarkError) in _ = try? t.undo(edits) }
        }
        #expect(error?.code == .editOvertaken)
        #expect(try await self.client["todos"]["2"].get()?.n == 1)
    }

    @Test func `the closure of an edit may throw an error of the app`() async throws {
        try await self.client.transaction { t in
            do {
                try t["todos"]["1"].edit { todo in
                    todo.n = 1
                    guard todo.count == 0 else { throw SoldOut() }
                }
            } catch is SoldOut {}
            try t["todos"]["2"].edit { $0.n = 1 }
        }
        #expect(try await self.client["todos"]["1"].get()?.n == nil)
        #expect(try await self.client["todos"]["2"].get()?.n == 1)
    }
}
