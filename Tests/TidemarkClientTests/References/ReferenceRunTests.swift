import CoreSupport
import TestSupport
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// An app that leaves no dangling name, a server with foreign keys, and random troubles: lost requests and answers, refused records,
/// records that make a POST fail, and restarts. Without another device the client can foresee each refusal by a key.
private struct ReferenceRun {
    static let names = ["a", "b", "c"]
    static let references = Dictionary(
        uniqueKeysWithValues: names.map { ($0, Dictionary(uniqueKeysWithValues: names.map { ("/\($0)/*", $0) })) })

    let disk = MemoryDisk()
    let server: KeyServer
    var client: SyncClient
    var random: SeededGenerator
    var count = 0
    var refused: Set<String> = []
    var hadRefused = false
    var steps: [String] = []
    let batchSize: Int

    init(seed: UInt64) throws {
        self.random = SeededGenerator(seed: seed)
        self.server = try KeyServer(Self.references)
        self.batchSize = [1, 2, 100][Int.random(in: 0..<3, using: &self.random)]
        self.client = try Self.client(self.server, self.disk, self.batchSize)
    }

    private static func client(_ server: KeyServer, _ disk: MemoryDisk, _ batchSize: Int) throws -> SyncClient {
        var configuration = SyncConfiguration()
        for (name, members) in Self.references { configuration[name].references = members }
        configuration.limits.batchSize = batchSize
        return try SyncClient(
            store: disk.open(), remote: server, configuration: configuration, time: server.clock, seed: 1)
    }

    /// The visible records, with the records that each names.
    func records() async throws -> [String: Set<String>] {
        var records: [String: Set<String>] = [:]
        for name in Self.names {
            for snapshot in try await self.client[name].list() {
                guard let content = try snapshot.content else { continue }
                var named: Set<String> = []
                for target in Self.names {
                    for pk in content[pointer: JSONPointer.root.appending(target)]?.array ?? [] {
                        if let pk = pk.string { named.insert("\(target)/\(pk)") }
                    }
                }
                records["\(name)/\(snapshot.pk)"] = named
            }
        }
        return records
    }

    private func split(_ name: String) -> (collection: String, pk: String) {
        let parts = name.split(separator: "/")
        return (String(parts[0]), String(parts[1]))
    }

    private func content(_ number: Int, naming named: [String]) -> JSON {
        var content: JSON = ["n": JSON(number)]
        for target in Self.names {
            let pks = named.map(self.split).filter { $0.collection == target }.map { JSON($0.pk) }
            if !pks.isEmpty { content[pointer: JSONPointer.root.appending(target)] = .array(pks) }
        }
        return content
    }

    /// Some records that do not lead to a record.
    private mutating func pick(from records: [String: Set<String>], notLeadingTo name: String?) -> [String] {
        let wanted = Int.random(in: 0...2, using: &self.random)
        return records.keys.sorted().shuffled(using: &self.random).filter { other in
            guard let name else { return true }
            var (open, seen) = ([other], Set<String>())
            while let next = open.popLast() {
                if next == name { return false }
                if seen.insert(next).inserted { open += records[next] ?? [] }
            }
            return true
        }.prefix(wanted).sorted()
    }

    mutating func step() async throws {
        let records = try await self.records()
        switch Int.random(in: 0..<20, using: &self.random) {
        case 0..<6:
            self.count += 1
            let name = Self.names[Int.random(in: 0..<3, using: &self.random)]
            let pk = "\(self.count)"
            let named = self.pick(from: records, notLeadingTo: nil)
            if Int.random(in: 0..<20, using: &self.random) == 0 {
                self.refused.insert("\(name)/\(pk)")
                self.hadRefused = true
                self.server.refuse(self.refused)
            }
            self.steps.append("create \(name)/\(pk) naming \(named)")
            try await self.client[name].create(self.content(self.count, naming: named), pk: pk)
        case 6..<9:
            guard let name = records.keys.sorted().randomElement(using: &self.random) else { return }
            let named = self.pick(from: records, notLeadingTo: name)
            self.count += 1
            let content = self.content(self.count, naming: named)
            self.steps.append("edit \(name) naming \(named)")
            let (collection, pk) = self.split(name)
            try await self.client[collection][pk].edit { $0 = content }
        case 9..<13:
            let named = records.values.reduce(into: Set<String>()) { $0.formUnion($1) }
            let free = records.keys.filter { !named.contains($0) }.sorted()
            guard let name = free.randomElement(using: &self.random) else { return }
            self.steps.append("delete \(name)")
            let (collection, pk) = self.split(name)
            try await self.client[collection][pk].delete()
        case 13:
            self.steps.append("restart")
            await self.client.close()
            self.client = try Self.client(self.server, self.disk, self.batchSize)
        case 14:
            self.refused = self.refused.filter { _ in Bool.random(using: &self.random) }
            self.server.refuse(self.refused)
            self.steps.append("refused are \(self.refused.sorted())")
            try await self.retry()
        default:
            let some = Self.names.shuffled(using: &self.random).prefix(Int.random(in: 1...3, using: &self.random))
            let isLost = Int.random(in: 0..<4, using: &self.random) == 0
            self.server.loseAnswers(isLost)
            self.steps.append("sync \(some)\(isLost ? ", answers lost" : "")")
            _ = try await self.client.sync(Array(some))
            self.server.loseAnswers(false)
        }
    }

    func retry() async throws {
        for name in Self.names {
            for snapshot in try await self.client[name].list(states: Set(SyncState.allCases))
            where snapshot.phase.activity == .held {
                try await self.client[name][snapshot.pk].retry()
            }
        }
    }

    /// The refusals by a key that the client could foresee. A delete waits for no child that is held, or waits for a held one.
    var foreseeable: [String] { self.server.keyRefusals.filter { !$0.hasPrefix("-") || !self.hadRefused } }

    /// Ends all troubles, and syncs until nothing is left.
    mutating func finish() async throws -> SyncReport {
        self.server.refuse([])
        var report = SyncReport()
        for _ in 0..<10 {
            try await self.retry()
            report = try await self.client.sync(Self.names)
            if report.outcome == .inSync { break }
            self.server.clock.advance(by: .seconds(3_600))
        }
        return report
    }
}

@Suite("Random runs against a server with foreign keys (R26, R27)") struct ReferenceRunTests {
    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `a client that is alone meets no refusal by a key, and sends everything`(_ seed: UInt64) async throws {
        var run = try ReferenceRun(seed: seed)
        for _ in 0..<60 {
            try await run.step()
            if !run.foreseeable.isEmpty { break }
        }
        let report = try await run.finish()
        #expect(run.foreseeable.isEmpty, "\(run.steps.joined(separator: "\n"))\n\(run.server.posts)")
        #expect(report.outcome == .inSync, "\(run.steps.joined(separator: "\n"))\n\(run.server.posts)")
    }
}
