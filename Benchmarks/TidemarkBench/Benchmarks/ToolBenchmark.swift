import Foundation
import Tidemark

/// The JSON commands of the tool, a process each time: read the files, work, write the result.
enum ToolBenchmark {
    static var all: [Benchmark] {
        [
            self.benchmark("merge", "merge a server's and a client's version of an object of 20,000 records") {
                ["patch", "merge", $0.path("base"), $0.path("server"), $0.path("client")]
            },
            self.benchmark("apply", "apply the client's patch to it") {
                ["patch", "apply", $0.path("base"), $0.path("patch")]
            },
            self.benchmark("check", "check that it is JSON, with no repeated key") {
                ["json", "check", $0.path("base")]
            },
        ]
    }

    /// The files of a measurement.
    struct Files {
        let folder: URL

        func path(_ name: String) -> String { self.folder.appendingPathComponent("\(name).json").path }

        func read(_ name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(fileURLWithPath: self.path(name))))
        }

        func write(_ value: JSON, _ name: String) throws {
            try Data(value.bytes).write(to: URL(fileURLWithPath: self.path(name)))
        }
    }

    private static func benchmark(
        _ name: String, _ summary: String, _ arguments: @escaping @Sendable (Files) -> [String]
    ) -> Benchmark {
        Benchmark(
            name: "tool.\(name)", unit: "×", against: "nlohmann/json with the same texts",
            better: .more, summary: summary
        ) { laboratory in
            let tool = try laboratory.program("tidemark")
            let library = try laboratory.nlohmann.get()
            return try await laboratory.withFolder { folder in
                let files = Files(folder: folder)
                try Self.write(try TaskVersions(laboratory), to: files)
                let texts = try ["base", name == "apply" ? "patch" : "client", "server"].map { try files.read($0) }
                let peer = try Nlohmann("tool-\(name)", texts, library: library)
                let rounds = try (0..<9).map { _ in
                    (theirs: Stopwatch.cpu { peer() }, ours: try UsageChild.measure(tool, arguments(files)))
                }
                var measurement = Measurement(ratios: rounds.map { $0.theirs / $0.ours.cpu }, clock: .cpu)
                measurement.add("peak_mib", Spread(rounds.map(\.ours.peak)).median)
                return measurement
            }
        }
    }

    /// Writes each version as an object with a member for each task.
    private static func write(_ versions: TaskVersions, to files: Files) throws {
        func document(_ version: TaskVersions.Version) -> JSON {
            .object(JSONObject(version.records.enumerated().map { ("task-\($0)", $1) }))
        }
        let (base, client) = (document(versions.base), document(versions.client))
        try files.write(base, "base")
        try files.write(client, "client")
        try files.write(document(versions.server), "server")
        try files.write(JSONPatch.diff(from: base, to: client).json, "patch")
    }
}
