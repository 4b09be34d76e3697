import Tidemark

/// Operations on many small records, which are parsed before the measurement.
enum TaskBenchmark {
    static var diff: Benchmark {
        self.benchmark("diff", "nlohmann/json", "find the patch from each task to its client's version") { versions in
            let pairs = zip(versions.base.records, versions.client.records).map { ($0, $1) }
            return { for (base, client) in pairs { keep(JSONPatch.diff(from: base, to: client)) } }
        }
    }

    static var apply: Benchmark {
        self.benchmark("apply", "nlohmann/json", "apply that patch to each task") { versions in
            let pairs = zip(versions.base.records, versions.client.records).map {
                ($0, JSONPatch.diff(from: $0, to: $1))
            }
            return { for (base, patch) in pairs { keep(try patch.apply(to: base)) } }
        }
    }

    static var merge: Benchmark {
        self.benchmark(
            "merge", "nlohmann/json: two diffs, and one of them applied",
            "merge the client's and the server's version of each task"
        ) { versions in
            let forks = zip(versions.base.records, zip(versions.server.records, versions.client.records))
                .map { ($0, $1.0, $1.1) }
            return {
                for (base, server, client) in forks {
                    keep(JSONMerge.merge(base: base, server: server, client: client))
                }
            }
        }
    }

    private static func benchmark(
        _ name: String, _ against: String, _ summary: String,
        _ prepare: @escaping @Sendable (TaskVersions) -> () throws -> Void
    ) -> Benchmark {
        Benchmark(name: "\(name).tasks", unit: "records/s", against: against, better: .more, summary: summary) {
            laboratory in
            let versions = try TaskVersions(laboratory)
            var contest = Contest(rounds: 9, ours: prepare(versions))
            contest.add(against) {
                let texts = [versions.base.lines, versions.client.lines, versions.server.lines]
                let peer = try Nlohmann(name, texts, library: try laboratory.nlohmann.get())
                return { peer() }
            }
            return try await contest.run { seconds in Double(versions.base.records.count) / seconds }
        }
    }
}
