import Foundation
import Tidemark
import TidemarkTesting

/// How costs grow with the changes of one record, and with the number of collections.
enum GrowthBenchmark {
    private static let fields = 1_000
    private static let edits = 200
    private static let (few, many) = (100, 1_000)

    static var changes: Benchmark {
        Benchmark(
            name: "edit.changes_1000", unit: "×", against: "the same with one changed field", better: .less,
            summary: "edit a field of a record with 1,000 fields, all of which were changed and not sent yet"
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let phone = try Self.client(in: folder, "changes.db")
                let names = (0..<Self.fields).map { "field-\($0)" }
                let record = JSON.object(JSONObject(names.map { ($0, "At first") }))
                for pk in ["one", "all"] { _ = try await phone["tasks"].create(record, pk: pk) }
                _ = try await phone.sync()
                try await phone["tasks"]["all"].edit { task in
                    for name in names { task[name] = "Changed" }
                }
                let times = try await Turns.take(
                    9, [{ try await Self.edit(phone["tasks"]["all"]) }, { try await Self.edit(phone["tasks"]["one"]) }])
                await phone.close()
                var measurement = Measurement(ratios: Turns.ratios(of: times[0], to: times[1]), clock: .cpu)
                measurement.add("microseconds", Spread(times[0]).median * 1e6)
                measurement.add("others_microseconds", Spread(times[1]).median * 1e6)
                return measurement
            }
        }
    }

    static var collections: Benchmark {
        Benchmark(
            name: "sync.collections_1000", unit: "×", against: "the same of each of 100 collections", better: .less,
            summary: "sync one changed record in each of 1,000 collections: the cost of each collection"
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let large = try await Self.synced(Self.many, in: folder)
                let small = try await Self.synced(Self.few, in: folder)
                let times = try await Turns.take(
                    5, [{ try await Self.sync(large, Self.many) }, { try await Self.sync(small, Self.few) }])
                await large.close()
                await small.close()
                var measurement = Measurement(ratios: Turns.ratios(of: times[0], to: times[1]), clock: .cpu)
                measurement.add("microseconds_each", Spread(times[0]).median * 1e6)
                measurement.add("others_microseconds_each", Spread(times[1]).median * 1e6)
                return measurement
            }
        }
    }

    private static func client(in folder: URL, _ name: String) throws -> SyncClient {
        try SyncClient(
            store: .sqlite(at: folder.appendingPathComponent(name).path),
            remote: InProcessRemote(try InProcessServer()))
    }

    /// Edits one field of a record again and again.
    ///
    /// - Returns: The CPU time of an edit in seconds.
    @concurrent
    private static func edit(_ task: SyncRecord<JSON>) async throws -> Double {
        let start = Stopwatch.cpu
        for number in 0..<Self.edits { try await task.edit { $0["field-500"] = JSON(number) } }
        return (Stopwatch.cpu - start) / Double(Self.edits)
    }

    /// A client with a record in each of some collections.
    private static func synced(_ count: Int, in folder: URL) async throws -> SyncClient {
        let phone = try Self.client(in: folder, "\(count).db")
        for number in 0..<count {
            _ = try await phone["collection-\(number)"].create(["title": "Paint the fence"], pk: "1")
        }
        _ = try await phone.sync()
        return phone
    }

    /// Edits the record of each collection, and syncs all of them; only the sync is measured.
    ///
    /// - Returns: The CPU time for each collection in seconds.
    @concurrent
    private static func sync(_ phone: SyncClient, _ count: Int) async throws -> Double {
        let title = JSON("Paint the shed, \(Stopwatch.cpu)")
        for number in 0..<count { try await phone["collection-\(number)"]["1"].edit { $0.title = title } }
        let start = Stopwatch.cpu
        _ = try await phone.sync()
        let time = Stopwatch.cpu - start
        guard try await phone.status.unsentCount == 0 else { throw Unavailable("some edits were not sent") }
        return time / Double(count)
    }
}
