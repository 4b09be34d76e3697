/// The peak memory of a long pull.
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
}
