package import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
package import TidemarkTesting

/// A server with foreign keys, and its troubles.
package protocol KeyedServer: Remote {
    /// The edits that a key forbade, as `todos/1`, or `-lists/1` for a delete.
    var keyRefusals: [String] { get }

    /// Refuses to write these records, as `lists/1`, from now on.
    func refuse(_ names: Set<String>) throws

    /// Loses answers to edits from now on, or none.
    func loseAnswers(_ loses: Bool)
}

/// An app that leaves no dangling name, a server with foreign keys, and random troubles: lost answers, refused records, and restarts.
/// Without another device the client can foresee each refusal by a key.
package struct ReferenceRun<Server: KeyedServer> {
    /// A member at the top of a record that names others.
    private struct Member {
        let name: String
        let namesMany: Bool
        let target: String

        /// - Parameter pointer: Such as `/list`, or `/tags/*`.
        init(_ pointer: String, _ target: String) {
            let tokens = pointer.split(separator: "/")
            (self.name, self.namesMany, self.target) = (String(tokens[0]), tokens.count > 1, target)
        }

        func pks(in content: JSON) -> [String] {
            let value = content[self.name]
            return (self.namesMany ? value?.array ?? [] : value.map { [$0] } ?? []).compactMap(\.string)
        }
    }

    package let server: Server
    package private(set) var client: SyncClient
    /// What the app has done so far, for the message of a failure.
    package private(set) var steps: [String] = []

    private let names: [String]
    private let members: [String: [Member]]
    private let configuration: SyncConfiguration
    private let clock: ManualClock
    private let disk = MemoryDisk()
    private var random: SeededGenerator
    private var count = 0
    private var refused: Set<String> = []
    private var hadRefused = false

    /// - Parameters:
    ///   - references: The members that name others, by collection, as a configuration declares them; each member is at the top of a
    ///     record.
    ///   - declares: Whether the client knows them.
    package init(
        seed: UInt64, server: Server, references: [String: [String: String]], declares: Bool = true,
        clock: ManualClock
    ) throws {
        var random = SeededGenerator(seed: seed)
        var configuration = SyncConfiguration()
        for (name, members) in references where declares { configuration[name].references = members }
        configuration.limits.batchSize = [1, 2, 100][Int.random(in: 0..<3, using: &random)]
        self.names = Set(references.keys).union(references.values.flatMap(\.values)).sorted()
        self.members = references.mapValues { $0.sorted { $0.key < $1.key }.map { Member($0.key, $0.value) } }
        (self.server, self.configuration, self.clock, self.random) = (server, configuration, clock, random)
        self.client = try Self.client(server, self.disk, configuration, clock)
    }

    private static func client(
        _ server: Server, _ disk: MemoryDisk, _ configuration: SyncConfiguration, _ clock: ManualClock
    ) throws -> SyncClient {
        try SyncClient(store: disk.open(), remote: server, configuration: configuration, time: clock, seed: 1)
    }

    /// The visible records, with the records that each names.
    private func records() async throws -> [String: Set<String>] {
        var records: [String: Set<String>] = [:]
        for name in self.names {
            for snapshot in try await self.client[name].list() {
                guard let content = try snapshot.content else { continue }
                let named = self.members(of: name).flatMap { member in
                    member.pks(in: content).map { "\(member.target)/\($0)" }
                }
                records["\(name)/\(snapshot.pk)"] = Set(named)
            }
        }
        return records
    }

    private func members(of collection: String) -> [Member] { self.members[collection] ?? [] }

    private func split(_ name: String) -> (collection: String, pk: String) {
        let parts = name.split(separator: "/")
        return (String(parts[0]), String(parts[1]))
    }

    private func content(of collection: String, _ number: Int, naming named: [String]) -> JSON {
        var content: JSON = ["n": JSON(number)]
        for member in self.members(of: collection) {
            let pks = named.map(self.split).filter { $0.collection == member.target }.map { JSON($0.pk) }
            guard let first = pks.first else { continue }
            content[member.name] = member.namesMany ? .array(pks) : first
        }
        return content
    }

    /// Some records that a record of a collection can name, and that do not lead to a record.
    private mutating func pick(
        from records: [String: Set<String>], for collection: String, notLeadingTo name: String?
    ) -> [String] {
        let targets = Set(self.members(of: collection).map(\.target))
        let wanted = Int.random(in: 0...2, using: &self.random)
        return records.keys.sorted().shuffled(using: &self.random).filter { other in
            guard targets.contains(self.split(other).collection) else { return false }
            guard let name else { return true }
            var (open, seen) = ([other], Set<String>())
            while let next = open.popLast() {
                if next == name { return false }
                if seen.insert(next).inserted { open += records[next] ?? [] }
            }
            return true
        }.prefix(wanted).sorted()
    }

    /// Takes steps, up to the first refusal by a key that the client could foresee.
    package mutating func run(_ count: Int) async throws {
        for _ in 0..<count where self.foreseeable.isEmpty { try await self.step() }
    }

    /// Takes one step.
    package mutating func step() async throws {
        let records = try await self.records()
        switch Int.random(in: 0..<20, using: &self.random) {
        case 0..<6:
            let collection = self.names[Int.random(in: 0..<self.names.count, using: &self.random)]
            try await self.create(in: collection, records)
        case 6..<9:
            guard let name = records.keys.sorted().randomElement(using: &self.random) else { return }
            let (collection, pk) = self.split(name)
            self.count += 1
            let named = self.pick(from: records, for: collection, notLeadingTo: name)
            let content = self.content(of: collection, self.count, naming: named)
            self.steps.append("edit \(name): \(content.text)")
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
            self.client = try Self.client(self.server, self.disk, self.configuration, self.clock)
        case 14:
            self.refused = self.refused.filter { _ in Bool.random(using: &self.random) }
            try self.server.refuse(self.refused)
            self.steps.append("refused are \(self.refused.sorted())")
            try await self.retry()
        default: try await self.sync()
        }
    }

    private mutating func create(in collection: String, _ records: [String: Set<String>]) async throws {
        self.count += 1
        let pk = "\(self.count)"
        let named = self.pick(from: records, for: collection, notLeadingTo: nil)
        if Int.random(in: 0..<20, using: &self.random) == 0 {
            self.refused.insert("\(collection)/\(pk)")
            self.hadRefused = true
            try self.server.refuse(self.refused)
        }
        let content = self.content(of: collection, self.count, naming: named)
        self.steps.append("create \(collection)/\(pk): \(content.text)")
        try await self.client[collection].create(content, pk: pk)
    }

    private mutating func sync() async throws {
        let some = self.names.shuffled(using: &self.random).prefix(Int.random(in: 1...3, using: &self.random))
        let isLost = Int.random(in: 0..<4, using: &self.random) == 0
        self.server.loseAnswers(isLost)
        self.steps.append("sync \(some)\(isLost ? ", answers lost" : "")")
        _ = try await self.client.sync(Array(some))
        self.server.loseAnswers(false)
    }

    private func retry() async throws {
        for name in self.names {
            for snapshot in try await self.client[name].list(states: Set(SyncState.allCases))
            where snapshot.phase.activity == .held {
                try await self.client[name][snapshot.pk].retry()
            }
        }
    }

    /// The refusals by a key that the client could foresee. A delete waits for no child that is held, or waits for a held one.
    package var foreseeable: [String] { self.server.keyRefusals.filter { !$0.hasPrefix("-") || !self.hadRefused } }

    /// Ends all troubles, and syncs until nothing is left.
    package mutating func finish() async throws -> SyncReport {
        try self.server.refuse([])
        var report = SyncReport()
        for _ in 0..<10 {
            try await self.retry()
            report = try await self.client.sync(self.names)
            if report.outcome == .inSync { break }
            self.clock.advance(by: .seconds(3_600))
        }
        return report
    }
}
