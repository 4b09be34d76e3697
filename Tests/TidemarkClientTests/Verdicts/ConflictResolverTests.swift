import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A resolver that runs a closure of the test.
private struct Scripted: ConflictResolver {
    var script: @Sendable (RecordConflict) async throws -> ConflictDecision

    init(_ script: @escaping @Sendable (RecordConflict) async throws -> ConflictDecision) {
        self.script = script
    }

    func resolve(_ conflict: RecordConflict) async throws -> ConflictDecision { try await self.script(conflict) }
}

private struct OfficeIsClosed: Error {}

@Suite(.timeLimit(.minutes(10))) struct ConflictResolverTests {
    let server: InProcessServer
    let client: SyncClient
    var notes: SyncCollection<JSON> { self.client["notes"] }

    /// A client with open conflicts about three records.
    init() async throws {
        self.server = try InProcessServer()
        self.client = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server),
            configuration: SyncConfiguration(rules: .init(tactic: .askUser)), time: self.server.clock, seed: 1)
        let other = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            time: self.server.clock, seed: 2)
        for pk in ["a", "b", "c"] { try await other["notes"].create(["n": 1], pk: pk) }
        _ = try await other.sync(["notes"])
        _ = try await self.client.sync(["notes"])
        for pk in ["a", "b", "c"] {
            try await other["notes"][pk].edit { $0.n = 2 }
            try await self.notes[pk].edit { $0.n = 3 }
        }
        _ = try await other.sync(["notes"])
        #expect(try await self.client.sync(["notes"]).collections.first?.conflicts == ["a", "b", "c"])
    }

    private func open() async throws -> [String] { try await self.notes.conflicts.map(\.conflict.pk) }

    @Test func `a resolver decides each open conflict, in the order of the changes`() async throws {
        let report = try await self.client.resolveConflicts(
            in: "notes",
            with: Scripted { conflict in
                switch conflict.pk {
                case "a": ConflictDecision(.takeServer, about: conflict)
                case "b": ConflictDecision(.merge(["n": 5]), about: conflict)
                default: ConflictDecision(.ask, about: conflict)
                }
            })
        #expect(report.settled == ["a", "b"])
        #expect(report.asked == ["c"])
        #expect(report.refused.isEmpty)
        #expect(try await self.open() == ["c"])
        #expect(try await self.notes["a"].get() == ["n": 2])
        #expect(try await self.notes["b"].get() == ["n": 5])
    }

    @Test func `a resolver that throws is reported, and only its conflict stays open`() async throws {
        let report = try await self.client.resolveConflicts(
            in: "notes",
            with: Scripted { conflict in
                guard conflict.pk != "b" else { throw OfficeIsClosed() }
                return ConflictDecision(.takeClient, about: conflict)
            })
        #expect(report.settled == ["a", "c"])
        #expect(report.refused.map(\.pk) == ["b"])
        #expect(report.refused.first?.reason == .threw)
        #expect(report.refused.first?.message.contains("OfficeIsClosed") == true)
        #expect(try await self.open() == ["b"])
    }

    @Test func `a resolver that never returns is cancelled at its timeout; other resolvers continue`() async throws {
        let clock = self.server.clock
        async let report = self.client.resolveConflicts(
            in: "notes",
            with: Scripted { conflict in
                if conflict.pk == "a" {
                    let (silence, _) = AsyncStream.makeStream(of: Void.self)
                    for await _ in silence {}
                    try Task.checkCancellation()
                }
                return ConflictDecision(.takeServer, about: conflict)
            }, timeout: .seconds(30))
        await eventually("the time limit is waited for") { !clock.sleepers.isEmpty }
        clock.advance(by: .seconds(31))
        let outcome = try await report
        #expect(outcome.refused.map(\.pk) == ["a"])
        #expect(outcome.refused.first?.reason == .timedOut)
        #expect(outcome.settled == ["b", "c"])
        #expect(try await self.open() == ["a"])
        #expect(clock.sleepers.isEmpty, "no sleep is left")
    }

    @Test func `a resolver that ignores its cancellation is abandoned at its timeout`() async throws {
        let clock = self.server.clock
        let gate = Gate()
        async let report = self.client.resolveConflicts(
            in: "notes",
            with: Scripted { conflict in
                if conflict.pk == "a" { await gate.wait() }
                return ConflictDecision(.takeServer, about: conflict)
            }, timeout: .seconds(30))
        await eventually("the time limit is waited for") { !clock.sleepers.isEmpty }
        clock.advance(by: .seconds(31))
        let outcome = try await report
        #expect(outcome.refused.map(\.pk) == ["a"])
        #expect(outcome.refused.first?.reason == .timedOut)
        #expect(outcome.settled == ["b", "c"])
        await gate.open()
    }

    @Test(arguments: [("notes", "b"), ("other", "a")])
    func `a verdict for another record is refused, and changes neither record`(
        collection: String, pk: String
    ) async throws {
        let report = try await self.client.resolveConflicts(
            in: "notes",
            with: Scripted { conflict in
                guard conflict.pk == "a" else { return ConflictDecision(.ask, about: conflict) }
                return ConflictDecision(.takeServer, collection: collection, pk: pk)
            })
        #expect(report.refused.map(\.reason) == [.otherRecord])
        #expect(report.refused.first?.pk == "a")
        #expect(try await self.open() == ["a", "b", "c"])
    }

    @Test func `a resolver's verdict on outdated values is refused, and it decides again (R22)`() async throws {
        let notes = self.notes
        let moving = Scripted { conflict in
            if conflict.pk == "a" { try await notes["a"].edit { $0.n = 7 } }
            return ConflictDecision(.takeServer, about: conflict)
        }
        let first = try await self.client.resolveConflicts(in: "notes", with: moving)
        #expect(first.settled == ["b", "c"])
        #expect(first.refused.map(\.reason) == [.stale])
        #expect(try await notes.conflicts.first?.conflict.client == ["n": 7])
        let second = try await self.client.resolveConflicts(
            in: "notes", with: Scripted { ConflictDecision(.takeClient, about: $0) })
        #expect(second.settled == ["a"])
        #expect(try await notes["a"].get() == ["n": 7])
    }

    @Test func `a conflict that was settled while its resolver ran is not decided twice (R22)`() async throws {
        let notes = self.notes
        let report = try await self.client.resolveConflicts(
            in: "notes",
            with: Scripted { conflict in
                if conflict.pk == "a" { try await notes["a"].resign() }
                return ConflictDecision(.takeClient, about: conflict)
            })
        #expect(report.refused.map(\.reason) == [.stale])
        #expect(try await notes["a"].get() == ["n": 2])
    }

    @Test(arguments: [Verdict.merge([1]), .keepBoth(newPK: "b"), .keepBoth(newPK: "")])
    func `an invalid verdict is refused, and the conflict stays open`(verdict: Verdict) async throws {
        let report = try await self.client.resolveConflicts(
            in: "notes", with: Scripted { ConflictDecision($0.pk == "a" ? verdict : .takeServer, about: $0) })
        #expect(report.refused.map(\.reason) == [.invalid])
        #expect(try await self.open() == ["a"])
    }

    @Test func `a cancelled run of a resolver ends, and undecided conflicts stay open`() async throws {
        let client = self.client
        let began = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    _ = try await client.resolveConflicts(
                        in: "notes",
                        with: Scripted { conflict in
                            guard conflict.pk == "b" else { return ConflictDecision(.takeServer, about: conflict) }
                            began.continuation.yield()
                            let (silence, _) = AsyncStream.makeStream(of: Void.self)
                            for await _ in silence {}
                            throw CancellationError()
                        })
                    return false
                } catch {
                    return (error as? TidemarkError)?.code == .cancelled
                }
            }
            var signal = began.stream.makeAsyncIterator()
            _ = await signal.next()
            group.cancelAll()
            #expect(await group.next() == true)
        }
        #expect(try await self.open() == ["b", "c"])
    }
}

/// Blocks its callers until it is opened, even if they are cancelled.
private actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        guard !self.isOpen else { return }
        await withCheckedContinuation { self.waiting.append($0) }
    }

    func open() {
        self.isOpen = true
        for continuation in self.waiting { continuation.resume() }
        self.waiting = []
    }
}
