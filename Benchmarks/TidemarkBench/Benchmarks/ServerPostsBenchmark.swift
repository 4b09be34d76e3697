import Foundation
import GeneratedRows
import PostgresForTests
import Tidemark

/// The rate of durable edits of the reference server, from clients that post one edit at a time.
enum ServerPostsBenchmark {
    /// How many edits a round has, for any number of clients.
    private static let edits = 1_536

    static var all: [Benchmark] { [1, 8, 64].map(Self.overSQLite) + [1, 8, 64].map(Self.overPostgres) }

    private static func overSQLite(clients: Int) -> Benchmark {
        Benchmark(
            name: clients == 64 ? "server.posts_ratio" : "server.posts_\(clients)_ratio", unit: "×",
            against: "bare SQLite commits of one row each, one after the other", better: .more,
            summary: Self.summary(clients)
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let bare = try BareStore(folder.appendingPathComponent("bare.db"))
                return try await Self.measure(folder.appendingPathComponent("server.db").path, clients) {
                    try bare.insert([$0])
                }
            }
        }
    }

    private static func overPostgres(clients: Int) -> Benchmark {
        Benchmark(
            name: "postgres.posts_\(clients)_ratio", unit: "×",
            against: "bare PostgreSQL commits of one row each, one after the other", better: .more,
            summary: Self.summary(clients) + ", over PostgreSQL"
        ) { _ in
            try await BarePostgres.withDatabases { server, databases in
                let bare = try BarePostgres(server, databases[1])
                return try await Self.measure(server.address(of: databases[0]), clients, bare.insert)
            }
        }
    }

    private static func summary(_ clients: Int) -> String {
        "POSTs of one edit each from \(clients == 1 ? "one client" : "\(clients) clients at once"), each durable when it is answered"
    }

    /// - Parameters:
    ///   - store: The file or the database of the server.
    ///   - clients: How many post at a time.
    ///   - insert: Commits one row without a server.
    private static func measure(
        _ store: String, _ clients: Int, _ insert: @escaping (Acknowledger.Row) throws -> Void
    ) async throws -> Measurement {
        let server = try Child(.server, [store, "0", "0"])
        defer { server.end() }
        let port = UInt16(try server.lineAsNumber())
        let connections = try (0..<clients).map { _ in try LoopbackConnection(port: port) }
        var posts = Posts()
        var cpus: [Double] = []
        let times = try await Turns.take(
            5,
            [
                {
                    let bodies = posts.next(Self.edits / clients, of: clients)
                    let cpu = try server.number("cpu")
                    let wall = try await Stopwatch.wall { try LoopbackPosts.run(connections, bodies: bodies) }
                    cpus.append(try server.number("cpu") - cpu)
                    return wall
                },
                {
                    let rows = posts.rows(Self.edits)
                    return try await Stopwatch.wall { for row in rows { try insert(row) } }
                },
            ])
        let count = Double(Self.edits)
        var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .wall)
        measurement.add("posts_per_second", count / Spread(times[0]).median)
        measurement.add("commits_per_second", count / Spread(times[1]).median)
        measurement.add("server_cpu_microseconds_each", Spread(cpus).median * 1e6 / count)
        return measurement
    }

    /// Creates that were not sent before.
    private struct Posts {
        private var tasks = TaskMaker(seed: 11)
        private var made = 0

        /// The bodies for each client.
        mutating func next(_ count: Int, of clients: Int) -> [[[UInt8]]] {
            (0..<clients).map { _ in
                (0..<count).map { _ in
                    let task = self.task()
                    return PostedBody.bytes([
                        PostedBody.creation(requestID: "r\(self.made)", pk: task.pk, content: task.text)
                    ])
                }
            }
        }

        mutating func rows(_ count: Int) -> [Acknowledger.Row] {
            (0..<count).map { _ in
                let task = self.task()
                return Acknowledger.Row(pk: task.pk, version: "\(self.made)", data: Array(task.text.utf8))
            }
        }

        private mutating func task() -> TaskMaker.Task {
            self.made += 1
            return self.tasks.next(self.made)
        }
    }
}
