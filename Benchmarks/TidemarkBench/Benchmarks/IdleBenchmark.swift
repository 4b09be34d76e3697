import Foundation

import CSystem

/// The cost of idle connections.
enum IdleBenchmark {
    static let connections = 10_000
    private static let atOnce = 50

    static var memory: Benchmark {
        Benchmark(
            name: "idle.mib", unit: "MiB", against: nil, better: .less,
            summary: "the reference server's memory with 10,000 idle connections"
        ) { laboratory in
            // For this process and for the server, which inherits the limit. A connection is a file at both ends.
            try Self.raiseLimit(to: Self.connections + 200)
            return try await laboratory.withFolder { folder in
                let file = folder.appendingPathComponent("server.db").path
                let server = try Child(.server, [file, "0", String(Self.connections + 64)])
                defer { server.end() }
                return try Self.measure(server, port: UInt16(try server.lineAsNumber()))
            }
        }
    }

    private static func measure(_ server: Child, port: UInt16) throws -> Measurement {
        let before = try server.number("memory")
        var connections: [LoopbackConnection] = []
        while connections.count < self.connections {
            // No faster than the server accepts them, since a connection that finds the system's queue full is delayed much.
            for _ in 0..<self.atOnce { connections.append(try LoopbackConnection(port: port)) }
            try self.wait(for: connections.count, server)
        }
        let memory = try server.number("memory")
        withExtendedLifetime(connections) {}
        var measurement = Measurement([memory], clock: .none)
        measurement.add("before", before)
        measurement.add("kib_each", (memory - before) * 1024 / Double(self.connections))
        return measurement
    }

    private static func wait(for count: Int, _ server: Child) throws {
        let deadline = Stopwatch.wall + 60
        while Int(try server.number("connections")) < count {
            guard Stopwatch.wall < deadline else { throw Unavailable("the server did not take \(count) connections") }
            usleep(1_000)
        }
    }

    static func raiseLimit(to files: Int) throws {
        var limit = rlimit()
        _ = unsafe tidemark_get_descriptor_limit(&limit)
        guard limit.rlim_cur < rlim_t(files) else { return }
        limit.rlim_cur = rlim_t(files)
        limit.rlim_max = max(limit.rlim_max, rlim_t(files))
        guard unsafe tidemark_set_descriptor_limit(&limit) == 0 else {
            throw Unavailable("the limit of open files can't be raised to \(files); ulimit -Hn prints its maximum")
        }
    }
}
