import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Changes of a collection, and a live list that is compared with its query after each round of them: of the first records of a
/// query, or of the whole collection.
struct LiveStory {
    enum Change {
        case write(pk: String, JSON)
        case edit(pk: String, copies: Int)
        case delete(pk: String)
        case writeElsewhere(pk: String, JSON)
        case sync

        /// The list is read again as a whole.
        case forget(loadsAgain: Bool)

        /// The store can't be read when the list of this round is, so the list ends, and another one begins.
        case failingRead
    }

    /// How a story ended: its first fault, and how many lists were delivered before it.
    struct Ending {
        var fault: String?
        var lists = 0
    }

    /// The type of the list. Some records do not fit it.
    struct Stock: Codable, Sendable {
        var copies: Int
        var done: Bool?
    }

    static let roundsOfAStory = 60

    private(set) var rounds: [[Change]] = []
    private(set) var query: RecordQuery

    /// Nil for the whole collection, without a query.
    private(set) var limit: Int?

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let done = JSONField<Bool>("/done")
        let conditions: [RecordQuery.Condition] = [
            .all, done == false, !(done == true), .pending, done.isMissing || done == true,
        ]
        let orders: [[RecordQuery.Order]] = [
            [], [.ascending("/copies")], [.descending("/copies")], [.ascending("/done"), .descending("/copies")],
        ]
        self.query = RecordQuery(
            where: conditions.randomElement(using: &random) ?? .all, order: orders.randomElement(using: &random) ?? [])
        self.limit = [1, 1, 2, 3, 5, 20].randomElement(using: &random)
        if Int.random(in: 0..<5, using: &random) == 0 { (self.query, self.limit) = (RecordQuery(), nil) }
        self.rounds = (0..<Self.roundsOfAStory).map { _ in
            (0...Int.random(in: 0...3, using: &random)).map { _ in Self.change(&random) }
        }
    }

    private static func change(_ random: inout SeededGenerator) -> Change {
        let pk = "\(Int.random(in: 1...12, using: &random))"
        if Int.random(in: 0..<40, using: &random) == 0 { return .forget(loadsAgain: .random(using: &random)) }
        if Int.random(in: 0..<40, using: &random) == 0 { return .failingRead }
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3: return .write(pk: pk, self.content(&random))
        case 4: return .delete(pk: pk)
        case 5, 6: return .edit(pk: pk, copies: Int.random(in: 0...6, using: &random))
        case 7: return .writeElsewhere(pk: pk, self.content(&random))
        default: return .sync
        }
    }

    private static func content(_ random: inout SeededGenerator) -> JSON {
        var content: JSON = ["copies": JSON(Int.random(in: 0...6, using: &random))]
        if Int.random(in: 0..<6, using: &random) == 0 {
            content.copies = JSON("\(Int.random(in: 0...2, using: &random))")
        }
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
        let disk = Disk()
        let shelf = try await Shelf(store: UnreadableStore(on: disk))
        let other = try shelf.another()
        var next = self.lists(of: shelf.books)
        var (ending, mirror) = (Ending(), RecordList<Stock>?.none)
        for round in self.rounds {
            for change in round { try await self.make(change, shelf, other) }
            let expected = try await self.page(of: shelf.books.of(Stock.self))
            guard mirror.map({ self.shown(expected) != self.shown($0) }) ?? true else { continue }
            if round.contains(where: { if case .failingRead = $0 { true } else { false } }) {
                disk.fail(with: TidemarkError(.storeUnavailable, "The disk does not answer."))
                let error = await #expect(throws: TidemarkError.self) { _ = try await next() }
                disk.fail(with: nil)
                guard error?.code == .storeUnavailable, try await next() == nil else {
                    ending.fault = "\(round): the list does not end with the error of its store"
                    return ending
                }
                (next, mirror) = (self.lists(of: shelf.books), nil)
            }
            let list = try #require(try await next())
            ending.lists += 1
            ending.fault = self.fault(of: list, expected, after: mirror?.records ?? []).map { "\(round): \($0)" }
            guard ending.fault == nil else { return ending }
            mirror = list
        }
        return ending
    }

    private func lists(of books: SyncCollection<JSON>) -> () async throws -> RecordList<Stock>? {
        let books = books.of(Stock.self)
        guard let limit else {
            var lists = books.observe().makeAsyncIterator()
            return { try await lists.next(isolation: #isolation) }
        }
        var lists = books.observe(self.query, limit: limit, tellingActivity: false).makeAsyncIterator()
        return { try await lists.next(isolation: #isolation) }
    }

    private func page(of books: SyncCollection<Stock>) async throws -> RecordList<Stock> {
        let page = if let limit { try await books.page(self.query, limit: limit) } else { try await books.all() }
        return RecordList(records: page.records, unreadable: page.unreadable, hasMore: page.next != nil)
    }

    private func fault(
        of list: RecordList<Stock>, _ expected: RecordList<Stock>, after mirror: [RecordValue<Stock>]
    ) -> String? {
        guard self.shown(list) == self.shown(expected) else {
            return "\(self.shown(list)), not \(self.shown(expected))"
        }
        guard list.hasMore == expected.hasMore else { return "hasMore is \(list.hasMore)" }
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
        case .forget(let loadsAgain):
            _ = try await shelf.client.sync()
            // What can't be sent keeps a collection from being forgotten.
            if try await shelf.client.unsent.count == 0 { try await shelf.books.forget() }
            if loadsAgain { _ = try await shelf.books.sync() }
        case .failingRead: break
        }
    }

    /// What a list has to tell: without the activity.
    private func shown(_ list: RecordList<Stock>) -> [String] {
        self.shown(list.records)
            + list.unreadable.map { "\($0.pk) \($0.phase.state?.rawValue ?? "") \($0.error.message)" }
    }

    private func shown(_ records: [RecordValue<Stock>]) -> [String] {
        records.map { "\($0.pk) \($0.phase.state?.rawValue ?? "") \($0.value)" }
    }

    /// Takes the steps of a difference by hand. A record that was neither inserted nor changed stays as it was.
    private func following(
        _ difference: RecordList<Stock>.Difference, from old: [RecordValue<Stock>], to new: [RecordValue<Stock>]
    ) -> [RecordValue<Stock>] {
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
        (["\(self.query), limit \(self.limit.map(String.init) ?? "none")"] + self.rounds.map { "\($0)" }).joined(
            separator: "\n")
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
