import Foundation
import Tidemark

/// How many durable edits a second the reference server takes from many clients.
enum ServerPostsBenchmark {
    static let clients = 64
    static let postsEach = 24

    static var ratio: Benchmark {
        Benchmark(
            name: "server.posts_ratio", unit: "×", against: "bare SQLite commits of one row each, one after the other",
            better: .more, summary: "POSTs of one edit each from 64 clients at once, each durable when it is answered"
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let file = folder.appendingPathComponent("server.db").path
                let server = try Child(.server, [file, "0", "0"])
                defer { server.end() }
                let port = UInt16(try server.lineAsNumber())
                let connections = try (0..<Self.clients).map { _ in try LoopbackConnection(port: port) }
                let bare = try BareStore(folder.appendingPathComponent("bare.db"))
                return try await Self.measure(server, connections, bare)
            }
        }
    }

    private static func measure(
        _ server: Child, _ connections: [LoopbackConnection], _ bare: BareStore
    ) async throws -> Measurement {
        var posts = Posts()
        var cpus: [Double] = []
        let times = try await Turns.take(
            5,
            [
                {
                    let bodies = posts.next()
                    let cpu = try server.number("cpu")
                    let wall = try await Stopwatch.wall { try LoopbackPosts.run(connections, bodies: bodies) }
                    cpus.append(try server.number("cpu") - cpu)
                    return wall
                },
                {
                    let rows = posts.rows()
                    return try await Stopwatch.wall { for row in rows { try bare.insert([row]) } }
                },
            ])
        let count = Double(self.clients * self.postsEach)
        var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .wall)
        measurement.add("posts_per_second", count / Spread(times[0]).median)
        measurement.add("commits_per_second", count / Spread(times[1]).median)
        measurement.add("server_cpu_microseconds_each", Spread(cpus).median * 1e6 / count)
        return measurement
    }

    /// Creations that were not sent before.
    private struct Posts {
        private var tasks = TaskMaker(seed: 11)
        private var made = 0

        /// For each client its bodies.
        mutating func next() -> [[[UInt8]]] {
            (0..<ServerPostsBenchmark.clients).map { _ in
                (0..<ServerPostsBenchmark.postsEach).map { _ in
                    let task = self.task()
                    return PostedBody.bytes([
                        PostedBody.creation(requestID: "r\(self.made)", pk: task.pk, content: task.text)
                    ])
                }
            }
        }

        mutating func rows() -> [Acknowledger.Row] {
            (0..<ServerPostsBenchmark.clients * ServerPostsBenchmark.postsEach).map { _ in
                let task = self.task()
                return Acknowledger.Row(pk: task.pk, stamp: "\(self.made)", data: Array(task.text.utf8))
            }
        }

        private mutating func task() -> TaskMaker.Task {
            self.made += 1
            return self.tasks.next(self.made)
        }
    }
}
