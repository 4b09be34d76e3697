/// The peak memory of a long pull, and of a widget.
enum PullPeakBenchmark {
    static var peak: Benchmark {
        Benchmark(
            name: "pull.peak_mib", unit: "MiB", against: nil, better: .less,
            summary:
                "a process that links Tidemark alone pulls 1,000,000 rows in pages of 5,000, which it makes on the fly"
        ) { laboratory in
            let store = try laboratory.millionRecords()
            var measurement = Measurement([store.peak], clock: .none)
            measurement.add("before", store.before)
            measurement.add("cpu_seconds_with_making_rows", store.cpu)
            return measurement
        }
    }

    static var widget: Benchmark {
        Benchmark(
            name: "widget.peak_mib", unit: "MiB", against: nil, better: .less,
            summary:
                "a process without a server opens a store of 10,000 records, reads a page of 20 and edits one: its growth"
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let store = try laboratory.storeInStep(rows: 10_000, in: folder)
                let runs = try (0..<5).map { _ in
                    try LargeStore.editAsWidget(try laboratory.program("pull-rows"), store.file)
                }
                var measurement = Measurement(runs.map { $0.peak - $0.before }, clock: .none)
                measurement.add("before", Spread(runs.map(\.before)).median)
                return measurement
            }
        }
    }
}
