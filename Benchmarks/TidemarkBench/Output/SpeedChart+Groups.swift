extension SpeedChart {
    /// The chart of a run of the benchmarks. A result that the run does not have has no bar.
    init(lines: [MeasuredLine]) {
        self.init([
            Self.otherLibraries(lines), Self.bareStatements(lines), Self.server(lines, "SQLite", "server"),
            Self.server(lines, "PostgreSQL", "postgres"),
        ])
    }

    /// Other code that does the same work, and yajl, which does a part of it.
    private static func otherLibraries(_ lines: [MeasuredLine]) -> Group {
        let parsing = [("parse.twitter", "600 kB of nested JSON"), ("parse.tasks", "20,000 small JSON records")]
        let bars = parsing.flatMap { name, text in
            [
                ("nlohmann", "nlohmann/json"), ("JSONSerialization", "JSONSerialization"),
                ("yajl", "yajl, which finds the tokens and keeps no value"),
            ].compactMap { self.speed(lines, name, $0.0, "Parses \(text) at", $0.1) }
        }
        let others = [
            ("diff.tasks", "nlohmann", "Finds the patch between two versions of a record at", "nlohmann/json"),
            ("apply.tasks", "nlohmann", "Applies a patch to a record at", "nlohmann/json"),
            (
                "merge.tasks", "nlohmann", "Merges three versions of a record at",
                "two diffs and one patch of nlohmann/json"
            ),
            (
                "pull.naive_ratio", "loop", "Parses and stores downloaded rows at",
                "a loop of JSONSerialization and SQLite"
            ),
        ].compactMap { self.speed(lines, $0.0, $0.1, $0.2, $0.3) }
        let all = bars + others
        return Group(
            title: "The same work in other libraries",
            axis: .logarithmic(
                "times the speed of the other library, by CPU time (logarithmic axis)", all.map(\.value)),
            bars: all)
    }

    private static func speed(
        _ lines: [MeasuredLine], _ name: String, _ against: String, _ words: String, _ other: String
    ) -> Bar? {
        self.ratio(lines, name, against).map { ratio in
            Bar(words: words, figure: Figures.short(ratio), end: "times the speed of \(other)", value: ratio)
        }
    }

    /// The cost of sync. Bare statements do less: they keep no changes to send, no base to merge with and no request to
    /// repeat. So these bars show no contest.
    private static func bareStatements(_ lines: [MeasuredLine]) -> Group {
        let bars = [
            ("pull.floor_ratio", "Parsing and storing downloaded rows costs", "bare INSERTs of the same rows"),
            ("pull.http_ratio", "Downloading them by HTTP and storing them costs", "bare INSERTs, without a network"),
            (
                "edit.floor_ratio", "A durable edit of one field costs",
                "one bare UPDATE, which is durable but not synced"
            ),
            (
                "push.floor_ratio", "Sending an edit and storing its answer costs",
                "a bare POST and UPDATE, without guarantees"
            ),
        ].compactMap { name, words, other -> Bar? in
            guard let ratio = self.ratio(lines, name, ""), ratio > 0 else { return nil }
            return Bar(
                words: words, figure: Figures.short(1 / ratio), end: "times as much as \(other)", value: 1 / ratio)
        }
        return Group(
            title: "The cost of sync, in units of bare SQLite statements",
            axis: .linear("times the CPU time of bare statements, which do not sync", bars.map(\.value)), bars: bars)
    }

    /// Durable POSTs of a server from more and more clients, and commits without a server.
    private static func server(_ lines: [MeasuredLine], _ database: String, _ prefix: String) -> Group {
        let clients = [
            (1, "posts_1_ratio"), (8, "posts_8_ratio"), (64, prefix == "server" ? "posts_ratio" : "posts_64_ratio"),
        ]
        let results = clients.compactMap { count, name in
            lines.first { $0.name == "\(prefix).\(name)" }.map { (count, $0) }
        }
        var bars = results.compactMap { count, line in
            line.details["posts_per_second"].map { posts in
                Bar(
                    words: count == 1 ? "One client gets" : "\(count) clients together get",
                    figure: Figures.whole(posts),
                    end: "durable answers a second from the server", value: posts)
            }
        }
        if let commits = results.last?.1.details["commits_per_second"] {
            bars.append(
                Bar(
                    words: "Without a server, one thread makes", figure: Figures.whole(commits),
                    end: "bare commits of one row a second, one after the other", value: commits, isOurs: false))
        }
        return Group(
            title: "POSTs of one edit each to tidemark serve on \(database)",
            axis: .linear("a second, by wall time; client and server share two cores", bars.map(\.value)), bars: bars)
    }

    private static func ratio(_ lines: [MeasuredLine], _ name: String, _ against: String) -> Double? {
        lines.first { $0.name == name }?.comparisons.first { against.isEmpty || $0.against.contains(against) }?.ratio
    }
}
