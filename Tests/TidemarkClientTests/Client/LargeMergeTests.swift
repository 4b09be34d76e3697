import CoreSupport
import Dispatch
import Synchronization
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// A large merge is made on another thread, so that no other call of the client waits for it (Contract §9).
@Suite(.timeLimit(.minutes(10))) struct LargeMergeTests {
    /// A rule whose decision begins at once, and ends when the test allows it.
    private struct Held: FieldRule {
        let begun: AsyncStream<Bool>
        private let begin: AsyncStream<Bool>.Continuation
        private let end = DispatchSemaphore(value: 0)

        init() { (self.begun, self.begin) = AsyncStream.makeStream() }

        func decide(_ field: FieldConflict) -> FieldOutcome {
            self.begin.yield(true)
            return self.end.wait(timeout: .now() + .seconds(60)) == .success ? .client : .server
        }

        /// Lets a number of decisions end.
        func allow(_ count: Int) {
            for _ in 0..<count { self.end.signal() }
        }
    }

    /// A tactic that notes whether each conflict has its clashes.
    private final class Noting: Tactic {
        let seen = Mutex<[Bool]>([])

        func decide(_ conflict: RecordConflict) -> Verdict? {
            self.seen.withLock { $0.append(!conflict.clashes.isEmpty) }
            return AutoMerge().decide(conflict)
        }
    }

    private let server: InProcessServer
    private let rule = Held()
    private let tactic = Noting()
    private let client: SyncClient
    private let other: SyncClient

    init() async throws {
        self.server = try InProcessServer()
        let rules = CollectionRules(tactic: self.tactic, fields: try FieldRules([("/body", self.rule)]))
        self.client = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(rules: rules),
            time: self.server.clock, seed: 1)
        self.other = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            time: self.server.clock, seed: 2)
    }

    private var record: SyncRecord<JSON> { self.client["notes"]["42"] }

    private static func text(_ word: String) -> JSON { JSON(String(repeating: word, count: LargeMerges.length)) }

    /// Both clients change the text of a record, and the other one has sent it.
    private func changeBoth() async throws {
        try await self.client["notes"].create(["body": Self.text("a"), "n": 0], pk: "42")
        _ = try await self.client.sync()
        _ = try await self.other.sync(["notes"])
        _ = try await self.other["notes"]["42"].edit { $0.body = Self.text("b") }
        _ = try await self.other.sync()
        _ = try await self.record.edit { $0.body = Self.text("c") }
    }

    private func sync() -> Task<SyncReport, any Error> { Task { [client] in try await client.sync() } }

    @Test func `calls of the app are answered during a large merge`() async throws {
        try await self.changeBoth()
        let syncing = self.sync()
        #expect(await self.rule.begun.first { $0 } == true)
        #expect(try await self.record.get()?.n == 0, "a read waits for the merge")
        self.rule.allow(1)
        #expect(try await syncing.value.outcome == .inSync)
        #expect(try await self.record.get()?.body == Self.text("c"))
        _ = try await self.other.sync()
        #expect(try await self.other["notes"]["42"].get()?.body == Self.text("c"))
    }

    @Test func `a tactic sees no conflict without its merge`() async throws {
        try await self.client["notes"].create(["body": Self.text("a")], pk: "new")
        _ = try await self.other.sync(["notes"])
        try await self.other["notes"].create(["body": Self.text("b")], pk: "new")
        _ = try await self.other.sync()
        let syncing = self.sync()
        self.rule.allow(3)
        #expect(try await syncing.value.outcome == .inSync)
        #expect(self.tactic.seen.withLock { $0 } == [true])
    }

    @Test func `an edit during a large merge is merged, too (R4)`() async throws {
        try await self.changeBoth()
        let syncing = self.sync()
        #expect(await self.rule.begun.first { $0 } == true)
        _ = try await self.record.edit { $0.n = 7 }
        _ = try await self.record.edit { $0.body = Self.text("d") }
        // One decision for the values before the edits, one for those after them.
        self.rule.allow(2)
        #expect(try await syncing.value.outcome == .inSync)
        #expect(try await self.record.get() == ["body": Self.text("d"), "n": 7])
        _ = try await self.other.sync()
        #expect(try await self.other["notes"]["42"].get() == ["body": Self.text("d"), "n": 7])
    }

    @Test func `a client that is closed during a large merge keeps the edit`() async throws {
        try await self.changeBoth()
        let syncing = self.sync()
        #expect(await self.rule.begun.first { $0 } == true)
        await self.client.close()
        self.rule.allow(1)
        let error = await #expect(throws: TidemarkError.self) { try await syncing.value }
        #expect(error?.code == .clientClosed)
    }
}

/// The merges that an input needs, and the tries of the input.
@Suite struct LargeMergesTests {
    private let large = LargeMerges(FieldRules(), length: 10)

    private func merged(_ client: String) throws -> JSON? {
        let merge = JSONChanges(large: self.large).merge(
            JSONMerge.Sides(
                base: ["text": "a long text"], server: ["text": "a long text", "n": 1], client: ["text": JSON(client)]))
        try self.large.check()
        return merge.merged
    }

    @Test func `an input fails until its large merges are made`() throws {
        let error = #expect(throws: TidemarkError.self) { try self.merged("changed") }
        #expect(error?.code == .mergesMissing)
        self.large.makeMissing()
        #expect(try self.merged("changed") == ["text": "changed", "n": 1])
        #expect(throws: TidemarkError.self) { try self.merged("changed again") }
    }

    @Test func `an input whose values change with each try makes its merges by itself at last (I8)`() throws {
        for number in 0..<LargeMerges.tries {
            #expect(throws: TidemarkError.self) { try self.merged("text \(number)") }
            self.large.makeMissing()
        }
        #expect(try self.merged("the last text") == ["text": "the last text", "n": 1])
    }

    @Test func `beyond the limit of bytes an input makes its merges by itself`() throws {
        let large = LargeMerges(FieldRules(), length: 10, bytes: 100)
        func merged(_ number: Int) -> JSON? {
            JSONChanges(large: large).merge(
                JSONMerge.Sides(
                    base: ["text": "a long text"], server: ["text": "a long text", "n": 1],
                    client: ["text": JSON("text number \(number)")])
            ).merged
        }
        let stoodIn = (0..<10).filter { merged($0)?.n == nil }
        #expect(stoodIn == [0, 1, 2])
        #expect(throws: TidemarkError.self) { try large.check() }
        large.makeMissing()
        #expect((0..<10).allSatisfy { merged($0)?.n == 1 })
        try large.check()
    }

    @Test func `a short merge is made at once`() throws {
        let short = JSONMerge.Sides(base: ["n": 1], server: ["n": 1, "m": 2], client: ["n": 3])
        #expect(JSONChanges(large: self.large).merge(short).merged == ["n": 3, "m": 2])
        try self.large.check()
    }
}
