import Foundation
import GeneratedRows

/// The cost of an import by the tool.
enum ImportBenchmark {
    static let records = 100_000

    static var rows: Benchmark {
        Benchmark(
            name: "import.rows", unit: "rows/CPU s", against: nil, better: .more,
            summary: "import 100,000 records into a new store by the tool tidemark"
        ) { laboratory in
            let tool = try laboratory.program("tidemark")
            return try await laboratory.withFolder { folder in try Self.measure(tool, folder) }
        }
    }

    private static func measure(_ tool: URL, _ folder: URL) throws -> Measurement {
        let file = folder.appendingPathComponent("tasks.json")
        var maker = TaskMaker(seed: 1)
        let tasks = (0..<self.records).map { maker.next($0).text }
        try Data("[\(tasks.joined(separator: ",\n"))]".utf8).write(to: file)
        var usages: [(cpu: Double, peak: Double)] = []
        for round in 0..<3 {
            let store = folder.appendingPathComponent("import-\(round).db").path
            usages.append(
                try UsageChild.measure(tool, ["import", "--store", store, "tasks", file.path, "--pk", "id"]))
        }
        var measurement = Measurement(usages.map { Double(self.records) / $0.cpu }, clock: .cpu)
        measurement.add("peak_mib", Spread(usages.map(\.peak)).median)
        measurement.add("cpu_seconds", Spread(usages.map(\.cpu)).median)
        return measurement
    }
}
