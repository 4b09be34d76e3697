/// The list of all benchmarks, in the order in which they run.
enum Benchmarks {
    static var all: [Benchmark] {
        [
            ParseBenchmark.twitter, ParseBenchmark.tasks, TaskBenchmark.diff, TaskBenchmark.apply, TaskBenchmark.merge,
            PullBenchmark.floor, PullBenchmark.naive, PullHTTPBenchmark.ratio, PullPeakBenchmark.peak,
            PullPeakBenchmark.widget,
            PushFloorBenchmark.ratio, PushLinearBenchmark.linear, EditBenchmark.floor, GrowthBenchmark.changes,
            ImportBenchmark.rows, QueryBenchmark.page, QueryBenchmark.count, StatusBenchmark.questions,
            IndexBenchmark.steady, IndexBenchmark.firstSync, BlockBenchmark.merge, BlockBenchmark.forget,
            FlatnessBenchmark.flatness, GrowthBenchmark.collections, TransitionBenchmark.nanoseconds,
            OpenBenchmark.million, WireBenchmark.bytes, ServerPageBenchmark.page, ServerReadsBenchmark.ratio,
            IdleBenchmark.memory, RunBenchmark.seen, AppSizeBenchmark.size, ReferencesBenchmark.waitingChildren,
            ReferencesBenchmark.tree,
        ] + ToolBenchmark.all + QueryBenchmark.lists + ServerPostsBenchmark.all + WatchBenchmark.all
    }

    /// The chosen benchmarks: by a pattern with `*`, which matches a whole name or its beginning, and by a list.
    static func chosen(pattern: String?, only: [String]) -> [Benchmark] {
        self.all.filter { benchmark in
            (only.isEmpty || only.contains(benchmark.name))
                && (pattern.map { Self.fits(benchmark.name[...], $0[...]) } ?? true)
        }
    }

    private static func fits(_ name: Substring, _ pattern: Substring) -> Bool {
        guard let first = pattern.first else { return true }
        guard first == "*" else { return name.first == first && self.fits(name.dropFirst(), pattern.dropFirst()) }
        let rest = pattern.dropFirst()
        return name.indices.contains { self.fits(name[$0...], rest) } || rest.isEmpty
    }
}
