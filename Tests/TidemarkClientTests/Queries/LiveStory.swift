import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Changes of a collection, and a live list that is compared with its query after each round of them.
struct LiveStory {
    enum Change {
        case write(pk: String, JSON)
        case edit(pk: String, copies: Int)
        case delete(pk: String)
        case writeElsewhere(pk: String, JSON)
        case sync
    }

    /// How a story ended: its first fault, and how many lists were delivered before it.
    struct Ending {
        var fault: String?
        var lists = 0
    }

    static let roundsOfAStory = 60

    private(set) var rounds: [[Change]] = []
    private(set) var query: RecordQuery
    private(set) var limit: Int

    init(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let done = JSONField<Bool>("/done")
        let conditions: [RecordQuery.Condition] = [
            .all, done == false, !(done == true), .pending, done.isMissing || done == true,
        ]
        let orders: [[RecordQuery.Order]] = [
            [], [.ascending("/copies")], [.descending("/copies")], [.ascending("/done"), .descending("/copies")],
        ]
        self.query = RecordQuery(
            where: conditions.randomElement(using: &random) ?? .all, order: orders.randomElement(using: &random) ?? [])
        self.limit = [1, 2, 3, 5, 20].randomElement(using: &random) ?? 1
        self.rounds = (0..<Self.roundsOfAStory).map { _ in
            (0...Int.random(in: 0...3, using: &random)).map { _ in Self.change(&random) }
        }
    }

    private static func change(_ random: inout SplitMix64) -> Change {
        let pk = "\(Int.random(in: 1...12, using: &random))"
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: return .write(pk: pk, self.content(&random))
        case 4: return .delete(pk: pk)
        case 5, 6: return .edit(pk: pk, copies: Int.random(in: 0...6, using: &random))
        case 7: return .writeElsewhere(pk: pk, self.content(&random))
        default: return .sync
        }
    }

    private static func content(_ random: inout SplitMix64) -> JSON {
        var content: JSON = ["copies": JSON(Int.random(in: 0...6, using: &random))]
        switch Int.random(in: 0..<3, using: &random) {
        case 0: content.done = true
        case 1: content.done = false
        default: break
        }
        return content
    }
}

// MARK: - A run

extension LiveStory {
    /// Runs the story with new stores. If a list is not delivered, the time limit of the suite ends the run.
    func run() async throws -> Ending {
        let shelf = try await Shelf()
        let other = try shelf.another()
        var lists = shelf.books.observe(self.query, limit: self.limit, tellingActivity: false).makeAsyncIterator()
        var (ending, mirror) = (Ending(), [RecordValue<JSON>]?.none)
        for round in self.rounds {
            for change in round { try await self.make(change, shelf, other) }
            let page = try await shelf.books.page(self.query, limit: self.limit)
            guard mirror.map({ self.shown(page.records) != self.shown($0) }) ?? true else { continue }
            let list = try #require(try await lists.next())
            ending.lists += 1
            ending.fault = self.fault(of: list, page, after: mirror ?? []).map { "\(round): \($0)" }
            guard ending.fault == nil else { return ending }
            mirror = list.records
        }
        return ending
    }

    private func fault(
        of list: RecordList<JSON>, _ page: RecordPage<JSON>, after mirror: [RecordValue<JSON>]
    ) -> String? {
        guard self.shown(list.records) == self.shown(page.records) else {
            return "\(self.shown(list.records)), not \(self.shown(page.records))"
        }
        guard list.hasMore == (page.next != nil) else { return "hasMore is \(list.hasMore)" }
        let followed = self.following(list.difference, from: mirror, to: list.records)
        guard self.shown(followed) == self.shown(list.records) else {
            return "\(list.difference) leads to \(self.shown(followed))"
        }
        return nil
    }

    private func make(_ change: Change, _ shelf: Shelf, _ other: SyncClient) async throws {
        switch change {
        case .write(let pk, let content): try await shelf.books.upsert([RecordInput(pk: pk, content: content)])
        case .edit(let pk, let copies):
            if try await shelf.books[pk].get() != nil { try await shelf.books[pk].edit { $0.copies = copies } }
        case .delete(let pk): if try await shelf.books[pk].get() != nil { try await shelf.books[pk].delete() }
        case .writeElsewhere(let pk, let content):
            _ = try await other.sync()
            try await other["books"].upsert([RecordInput(pk: pk, content: content)])
            _ = try await other.sync()
        case .sync: _ = try await shelf.client.sync()
        }
    }

    /// What a list has to tell: without the activity.
    private func shown(_ records: [RecordValue<JSON>]) -> [String] {
        records.map { "\($0.pk) \($0.phase.state?.rawValue ?? "") \((try? $0.value.text) ?? "")" }
    }

    /// Takes the steps of a difference by hand. A record that was neither inserted nor changed stays as it was.
    private func following(
        _ difference: RecordList<JSON>.Difference, from old: [RecordValue<JSON>], to new: [RecordValue<JSON>]
    ) -> [RecordValue<JSON>] {
        var records = old
        for index in (difference.removed + difference.moved.map(\.from)).sorted().reversed() {
            records.remove(at: index)
        }
        let moved = Dictionary(uniqueKeysWithValues: difference.moved.map { ($0.to, old[$0.from]) })
        for index in (difference.inserted + difference.moved.map(\.to)).sorted() {
            records.insert(moved[index] ?? new[index], at: index)
        }
        for index in difference.changed { records[index] = new[index] }
        return records
    }
}

// MARK: - Smaller stories

extension LiveStory: CustomStringConvertible {
    var description: String {
        (["\(self.query), limit \(self.limit)"] + self.rounds.map { "\($0)" }).joined(separator: "\n")
    }

    /// The smallest story that still fails.
    func shrunk() async throws -> LiveStory {
        for smaller in self.smaller where try await smaller.run().fault != nil { return try await smaller.shrunk() }
        return self
    }

    private var smaller: [LiveStory] {
        var stories: [LiveStory] = []
        func add(_ change: (inout LiveStory) -> Void) {
            var copy = self
            change(&copy)
            stories.append(copy)
        }
        // Halves, quarters and so on, down to single rounds; then single changes.
        var length = self.rounds.count / 2
        while length > 0 {
            for start in stride(from: 0, to: self.rounds.count, by: length) {
                add { $0.rounds.removeSubrange(start..<min(start + length, $0.rounds.count)) }
            }
            length /= 2
        }
        for (round, changes) in self.rounds.enumerated() where changes.count > 1 {
            for place in changes.indices { add { $0.rounds[round].remove(at: place) } }
        }
        return stories
    }
}
