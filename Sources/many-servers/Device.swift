import Tidemark
import TidemarkCore
import TidemarkTesting

/// A device like an app's: it edits and syncs, with one of the servers.
struct Device {
    static let feed = Feed.all[0]

    let number: Int
    private let notes: SyncCollection<JSON>
    private var random: SeededGenerator
    private var count = 0
    private(set) var marks: [Ledger.Mark] = []

    init(_ number: Int, url: String, seed: UInt64) throws {
        self.number = number
        let client = try SyncClient(store: MemoryStore(), remote: .http(url, token: Fleet.tokens[Self.feed.account]))
        self.notes = client[Self.feed.collection]
        self.random = SeededGenerator(seed: seed &+ UInt64(number) &* 104_729)
    }

    /// Edits and syncs until the time is over.
    mutating func live(until end: ContinuousClock.Instant) async throws {
        while ContinuousClock.now < end {
            try await self.change()
            _ = try? await self.notes.sync()
            try await Task.sleep(for: .milliseconds(Int.random(in: 10...200, using: &self.random)))
        }
    }

    /// Changes a record of this device, or a member of a record that both devices change.
    private mutating func change() async throws {
        self.count += 1
        let mark = "d\(self.number)n\(self.count)"
        let known = try await self.notes["shared-0"].get() != nil
        let pk = known && Bool.random(using: &self.random) ? "shared-0" : "d\(self.number)-\(self.count)"
        if pk == "shared-0" {
            _ = try await self.notes[pk].edit { $0[mark] = true }
        } else {
            var content: JSON = [:]
            content[mark] = true
            _ = try await self.notes.create(content, pk: pk)
        }
        self.marks.append(Ledger.Mark(pk: pk, name: mark))
    }

    /// Syncs until it is in sync; returns its records, or why it is not in sync.
    func settle(until end: ContinuousClock.Instant) async throws -> Result<[String: String], WrongUsage> {
        var outcome: SyncReport.Outcome?
        while ContinuousClock.now < end {
            outcome = try? await self.notes.sync().outcome
            if outcome == .inSync { return .success(try await self.views()) }
            try await Task.sleep(for: .milliseconds(100))
        }
        return .failure(WrongUsage("device \(self.number) is not in sync: \(outcome.map { "\($0)" } ?? "no report")"))
    }

    private func views() async throws -> [String: String] {
        var views: [String: String] = [:]
        var last: String?
        while true {
            let page = try await self.notes.list(after: last)
            for record in page { views[record.pk] = try record.content?.text }
            guard let end = page.last?.pk else { return views }
            last = end
        }
    }
}
