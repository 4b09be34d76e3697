import Foundation
import GeneratedRows
import Synchronization
import Tidemark

/// The time of a GET of the reference server while another client writes.
enum ServerReadsBenchmark {
    private static let reads = 500
    private static let editsInPost = 200

    static var ratio: Benchmark {
        Benchmark(
            name: "server.reads_ratio", unit: "×", against: "the same while the writes go to another server",
            better: .more,
            summary: "the 99th percentile of GETs of a page of 20 records, while another client writes without a pause"
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let servers = try ["server.db", "other.db"].map { name in
                    try Child(.server, [folder.appendingPathComponent(name).path, "2000", "0"])
                }
                defer { servers.forEach { $0.end() } }
                let ports = try servers.map { UInt16(try $0.lineAsNumber()) }
                return try await Self.measure(
                    reader: try LoopbackConnection(port: ports[0]),
                    writers: try ports.map { Writing(try LoopbackConnection(port: $0)) })
            }
        }
    }

    /// Writes to another server load the machine equally, so the ratio shows whether reads wait for writes.
    private static func measure(reader: LoopbackConnection, writers: [Writing]) async throws -> Measurement {
        let times = try await Turns.take(
            9,
            [
                { try Self.slowest(reader, beside: writers[0]) },
                { try Self.slowest(reader, beside: writers[1]) },
                { try Self.slowest(reader) },
            ])
        let failures = writers.map(\.failures).reduce(0, +)
        guard failures == 0 else { throw Unavailable("\(failures) POSTs were not answered with 200") }
        var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .wall)
        measurement.add("beside_ms", Spread(times[0]).median * 1e3)
        measurement.add("elsewhere_ms", Spread(times[1]).median * 1e3)
        measurement.add("alone_ms", Spread(times[2]).median * 1e3)
        return measurement
    }

    private static func slowest(_ connection: LoopbackConnection, beside writing: Writing) throws -> Double {
        writing.begin()
        defer { writing.end() }
        return try self.slowest(connection)
    }

    /// The 99th percentile of the times of GETs, one after the other.
    private static func slowest(_ connection: LoopbackConnection) throws -> Double {
        let times = try (0..<self.reads).map { _ in
            let start = Stopwatch.wall
            guard connection.get("/v1/tasks?limit=20") else { throw Unavailable("a GET was not answered with 200") }
            return Stopwatch.wall - start
        }
        return times.sorted()[self.reads * 99 / 100]
    }

    /// A client that posts as fast as the server answers, between ``begin()`` and ``end()``.
    private final class Writing: Sendable {
        private let connection: LoopbackConnection
        private let state = Mutex((isOn: false, tasks: TaskMaker(seed: 23), posts: 0, failures: 0))
        private let group = DispatchGroup()

        init(_ connection: LoopbackConnection) {
            self.connection = connection
        }

        var failures: Int { self.state.withLock { $0.failures } }

        func begin() {
            self.state.withLock { $0.isOn = true }
            self.group.enter()
            Thread {
                while let body = self.next() {
                    if !self.connection.post("/v1/tasks?limit=1", body) { self.state.withLock { $0.failures += 1 } }
                }
                self.group.leave()
            }.start()
        }

        func end() {
            self.state.withLock { $0.isOn = false }
            self.group.wait()
        }

        private func next() -> [UInt8]? {
            self.state.withLock { state in
                guard state.isOn else { return nil }
                state.posts += 1
                let first = state.posts * ServerReadsBenchmark.editsInPost
                return PostedBody.bytes(
                    (first..<first + ServerReadsBenchmark.editsInPost).map { number in
                        let task = state.tasks.next(number)
                        return PostedBody.creation(
                            requestID: "w\(number)", pk: "w-\(task.pk)", content: task.text)
                    })
            }
        }
    }
}
