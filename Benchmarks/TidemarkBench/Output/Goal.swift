/// The intended value of a figure. A goal is not a guarantee: the page reports whether each one was reached.
struct Goal {
    /// The figure of a result that the goal is about.
    enum Figure {
        case value

        /// The ratio to the comparison with these words in its name.
        case ratio(to: String)

        /// One of the details.
        case detail(String)
    }

    enum Bound {
        case atLeast(Double)
        case atMost(Double)

        var words: String {
            switch self {
            case .atLeast(let least): "at least \(Figures.plain(least))"
            case .atMost(let most): "at most \(Figures.plain(most))"
            }
        }
    }

    /// The name of the benchmark.
    let name: String

    /// The meaning of the figure, for the page.
    let words: String

    let figure: Figure
    let bound: Bound

    init(_ name: String, _ words: String, _ figure: Figure, _ bound: Bound) {
        self.name = name
        self.words = words
        self.figure = figure
        self.bound = bound
    }

    /// The measured figure; nil if it was not measured.
    func measured(in line: MeasuredLine) -> Double? {
        switch self.figure {
        case .value: line.value
        case .ratio(let other): line.comparisons.first { $0.against.contains(other) }?.ratio
        case .detail(let detail): line.details[detail]
        }
    }

    func isReached(by measured: Double) -> Bool {
        switch self.bound {
        case .atLeast(let least): measured >= least
        case .atMost(let most): measured <= most
        }
    }
}

extension Goal {
    /// All goals, in the order of the benchmarks.
    static let all = [
        Goal("parse.tasks", "times the speed of nlohmann/json", .ratio(to: "nlohmann"), .atLeast(4)),
        Goal("parse.tasks", "times the speed of JSONSerialization", .ratio(to: "JSONSerialization"), .atLeast(10)),
        Goal("parse.tasks", "times the speed of yajl, which only finds tokens", .ratio(to: "yajl"), .atLeast(0.7)),
        Goal("parse.twitter", "times the speed of nlohmann/json", .ratio(to: "nlohmann"), .atLeast(2)),
        Goal("parse.twitter", "times the speed of JSONSerialization", .ratio(to: "JSONSerialization"), .atLeast(5)),
        Goal("diff.tasks", "times the speed of nlohmann/json", .ratio(to: "nlohmann"), .atLeast(5)),
        Goal("apply.tasks", "times the speed of nlohmann/json", .ratio(to: "nlohmann"), .atLeast(2)),
        Goal(
            "merge.tasks", "times the speed of two diffs and a patch of nlohmann/json", .ratio(to: "nlohmann"),
            .atLeast(3)
        ),
        Goal("pull.http_ratio", "times the rate of bare SQLite INSERTs", .value, .atLeast(0.95)),
        Goal("pull.naive_ratio", "times the speed of a loop of JSONSerialization and SQLite", .value, .atLeast(5)),
        Goal("pull.peak_mib", "MiB", .value, .atMost(32)),
        Goal("widget.peak_mib", "MiB", .value, .atMost(12)),
        Goal("push.floor_ratio", "times the rate of bare POSTs and UPDATEs, without guarantees", .value, .atLeast(0.6)),
        Goal("push.linear", "times the cost of an edit among 1,000 edits", .value, .atMost(1.25)),
        Goal("edit.floor_ratio", "times the rate of bare UPDATEs of one row, not synced", .value, .atLeast(0.8)),
        Goal("edit.changes_1000", "times the cost with one changed field", .value, .atMost(1.25)),
        Goal("import.rows", "records for each CPU second", .value, .atLeast(100_000)),
        Goal("import.rows", "MiB at most", .detail("peak_mib"), .atMost(48)),
        Goal("tool.merge", "times the speed of a diff and a patch of nlohmann/json", .value, .atLeast(3)),
        Goal("tool.apply", "times the speed of nlohmann/json", .value, .atLeast(2.5)),
        Goal("tool.check", "times the speed of a parse by nlohmann/json", .value, .atLeast(2.5)),
        Goal("query.page_ratio", "times the speed of bare SQLite with its own index", .value, .atLeast(0.5)),
        Goal(
            "query.page_ratio", "times the speed of bare SQLite whose records are parsed", .ratio(to: "parsed"),
            .atLeast(0.6)
        ),
        Goal("query.count_ratio", "times the speed of bare SQLite with its own index", .value, .atLeast(0.5)),
        Goal("query.live_1000", "times the speed of the query run again", .value, .atLeast(50)),
        Goal("query.live_1000", "µs a change", .detail("microseconds"), .atMost(500)),
        Goal("query.live_10000", "times the speed of the query run again", .value, .atLeast(200)),
        Goal("query.live_10000", "µs a change", .detail("microseconds"), .atMost(1_000)),
        Goal("status.questions", "times the cost beside one open question", .value, .atMost(1.1)),
        Goal("index.steady_ratio", "times the rate of SQLite's expression indexes", .value, .atLeast(0.9)),
        Goal("index.first_sync_ratio", "times the rate of a sync without indexes", .value, .atLeast(0.5)),
        Goal("block.merge_ms", "ms", .value, .atMost(50)),
        Goal("block.forget_ms", "ms", .value, .atMost(50)),
        Goal("sync.collections_1000", "times the cost for each of 100 collections", .value, .atMost(1.25)),
        Goal("transition.ns", "ns", .value, .atMost(20)),
        Goal("open.million_ms", "ms", .value, .atMost(1)),
        Goal("wire.bytes_per_edit", "bytes", .value, .atMost(48)),
        Goal("server.page_ms", "CPU ms", .value, .atMost(0.4)),
        Goal("server.posts_ratio", "times the rate of bare commits, with 64 clients", .value, .atLeast(3)),
        Goal("server.reads_ratio", "times the speed of a GET while another server has the writes", .value, .atLeast(1)),
        Goal("watch.10000_ms", "ms at the 99th percentile, with 10,000 open watches", .value, .atMost(20)),
        Goal("watch.10000_ms", "KiB for each of 10,000 watches", .detail("kib_each"), .atMost(24)),
        Goal("idle.mib", "MiB with 10,000 connections", .value, .atMost(200)),
        Goal("app.mib", "MiB", .value, .atMost(12)),
        Goal("app.mib", "MiB without Swift's libraries", .detail("without_standard_libraries"), .atMost(2.5)),
    ]
}
