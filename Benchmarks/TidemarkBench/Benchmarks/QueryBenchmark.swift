import Foundation
import Tidemark
import TidemarkCore

/// Queries of a store with 1,000,000 records.
enum QueryBenchmark {
    private static let pageSize = 50
    private static let pages = 40
    private static let counts = 3

    private static let done = JSONField<Bool>("/done")
    private static let due = JSONField<String>("/due")

    /// One of the 18 times in the records, and so the beginning of half of them.
    private static let from = "2026-03-19T09:30:00Z"

    static var page: Benchmark {
        Benchmark(
            name: "query.page_ratio", unit: "×", against: "bare SQLite with an index of the same values",
            better: .more,
            summary:
                """
                one page of 50 of 1,000,000 records, by a condition and an order with an index, off the main actor; ours has \
                parsed values, that of bare SQLite the bytes
                """
        ) { laboratory in
            try await Self.measure(
                laboratory, operations: Self.pages, ours: { tasks in try await Self.readPages(tasks) },
                others: { bare in try bare.readPages { _ in } },
                ("the same with each record parsed", { bare in try bare.readPages { keep(try JSON(parsing: $0)) } }))
        }
    }

    static var count: Benchmark {
        Benchmark(
            name: "query.count_ratio", unit: "×", against: "bare SQLite with an index of the same values",
            better: .more,
            summary: "the number of the records, a quarter of 1,000,000, that match a condition with an index"
        ) { laboratory in
            try await Self.measure(
                laboratory, operations: Self.counts, ours: { tasks in try await Self.readCounts(tasks) },
                others: { bare in try bare.readCounts() })
        }
    }

    /// The lists of this many records.
    static var lists: [Benchmark] { [1_000, 10_000].map(Self.live) }

    private static func live(_ window: Int) -> Benchmark {
        Benchmark(
            name: "query.live_\(window)", unit: "×", against: "the query run again", better: .more,
            summary: """
                from one changed record of 100,000 to the new live list of the first \(Figures.whole(Double(window))) and its \
                difference, off the main actor
                """
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let store = try laboratory.storeInStep(rows: 100_000, in: folder).file
                let client = try SyncClient(
                    store: .sqlite(at: store.path), remote: Acknowledger(remembering: false),
                    configuration: SyncConfiguration(rules: CollectionRules(indexes: [["/done", "/due"]])))
                try await client["tasks"].buildIndexes()
                let measurement = try await Self.follow(client["tasks"], window)
                await client.close()
                return measurement
            }
        }
    }

    private static let changes = 50

    /// Changes records of a live list one after the other. The edit itself is not measured.
    @concurrent
    private static func follow(_ tasks: SyncCollection<JSON>, _ window: Int) async throws -> Measurement {
        let query = RecordQuery(where: Self.done == false, order: [.ascending("/due")])
        var lists = tasks.observe(query, limit: window).makeAsyncIterator()
        guard let list = try await lists.next(), list.records.count == window else {
            throw Unavailable("the list is not full")
        }
        let pks = list.records.map(\.pk)
        var (times, again): ([Double], [Double]) = ([], [])
        for round in 0..<Self.changes {
            // No record has this value before, so that each edit changes one.
            try await tasks[pks[round * 7_919 % window]].edit { $0.priority = JSON(1_000 + round) }
            var start = Stopwatch.cpu
            guard try await lists.next()?.difference.changed.count == 1 else {
                throw Unavailable("the list has another change, or ended")
            }
            times.append(Stopwatch.cpu - start)
            start = Stopwatch.cpu
            guard try await Self.read(query, of: tasks, window) == window else {
                throw Unavailable("the query has fewer records")
            }
            again.append(Stopwatch.cpu - start)
        }
        var measurement = Measurement(ratios: Turns.ratios(of: again, to: times), clock: .cpu)
        measurement.add("microseconds", Spread(times).median * 1e6)
        measurement.add("again_microseconds", Spread(again).median * 1e6)
        return measurement
    }

    /// Reads the first records of a query, in pages.
    private static func read(_ query: RecordQuery, of tasks: SyncCollection<JSON>, _ count: Int) async throws -> Int {
        var page = try await tasks.page(query, limit: 1_000)
        var records = page.records
        while records.count < count, let next = page.next {
            page = try await tasks.page(query, limit: 1_000, after: next)
            records += page.records
        }
        return records.count
    }

    private static func measure(
        _ laboratory: Laboratory, operations: Int, ours: @escaping (SyncCollection<JSON>) async throws -> Int,
        others: @escaping (BareQueries) throws -> Int,
        _ more: (name: String, work: (BareQueries) throws -> Int)? = nil
    ) async throws -> Measurement {
        let store = try EditedStore.copy(of: try laboratory.millionRecords().file)
        let file = store.appendingPathExtension("bare")
        defer { for url in [store, file] { try? FileManager.default.removeItem(at: url) } }
        let bare = try BareQueries(
            file, copying: store, from: Self.from, pageSize: Self.pageSize, Self.pages, Self.counts)
        let client = try SyncClient(
            store: .sqlite(at: store.path), remote: Acknowledger(remembering: false),
            configuration: SyncConfiguration(rules: CollectionRules(indexes: [["/done", "/due"]])))
        let tasks = client["tasks"]
        try await tasks.buildIndexes()
        guard try await ours(tasks) == others(bare) else { throw Unavailable("the two sides found other records") }
        let times = try await Turns.take(
            9,
            [
                { try await Stopwatch.cpu { keep(try await ours(tasks)) } },
                { try Stopwatch.cpu { keep(try others(bare)) } },
            ] + (more.map { more in [{ try Stopwatch.cpu { keep(try more.work(bare)) } }] } ?? []))
        await client.close()
        var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .cpu)
        measurement.add("microseconds", Spread(times[0]).median * 1e6 / Double(operations))
        measurement.add("others_microseconds", Spread(times[1]).median * 1e6 / Double(operations))
        if let more {
            measurement.others.append((more.name, Spread(Turns.ratios(of: times[2], to: times[0])).median))
        }
        return measurement
    }

    /// Reads some pages, one after the other.
    ///
    /// - Returns: The number of bytes of their pks.
    @concurrent
    private static func readPages(_ tasks: SyncCollection<JSON>) async throws -> Int {
        let query = RecordQuery(
            where: Self.done == false && Self.due >= Self.from, order: [.ascending("/due")])
        var (cursor, bytes): (RecordQuery.Cursor?, Int) = (nil, 0)
        for _ in 0..<Self.pages {
            let page = try await tasks.page(query, limit: Self.pageSize, after: cursor)
            cursor = page.next
            bytes += page.records.reduce(0) { $0 + $1.pk.utf8.count }
        }
        return bytes
    }

    @concurrent
    private static func readCounts(_ tasks: SyncCollection<JSON>) async throws -> Int {
        var count = 0
        for _ in 0..<Self.counts {
            count += try await tasks.count(RecordQuery(where: Self.done == false && Self.due >= Self.from))
        }
        return count
    }
}
