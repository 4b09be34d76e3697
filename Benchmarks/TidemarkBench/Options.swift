/// The options of the command line and of the environment.
struct Options {
    static let help = """
        usage: TidemarkBench [--list | --help | --page CATALOG] [PATTERN]

        Compares Tidemark with the libraries under it and with other libraries. Tidemark and the other code run alternately
        in one run. Only ratios are comparable between machines.

        PATTERN        names of benchmarks, such as parse. or '*.floor_ratio'; all by default
        --list         prints the names with a summary of each
        --page FOLDER  measures nothing: reads result lines from standard input, and writes the tables of Speed.md and
                       speed.svg in that folder
        BENCH_ONLY     names of benchmarks, separated by commas or blanks
        BENCH_DATA     a folder with pages.ndjson (the answer to a GET on each line), twitter.json, tasks.json and
                       tasks.{base,client,server}.ndjson; by default the data is made from a seed

        Standard output has one JSON object a line: name, value, unit, ratio and against; min, median and max of the
        rounds; better (whether more or less is better), clock (the kind of time), also (other ratios), details.
        A ratio is the speed of Tidemark relative to the other code; for push.linear and sync.flatness, the cost of the
        larger case relative to the smaller one. A benchmark that can't run here has the value null, and the reason in
        unavailable. Standard error has the same results as a table.
        """

    var pattern: String?
    var only: [String] = []
    var isList = false
    var isHelp = false

    /// The documentation catalog whose page about speed is written.
    var catalog: String?

    init(_ arguments: [String], _ environment: [String: String]) throws {
        var words = arguments[...]
        while let argument = words.popFirst() {
            switch argument {
            case "--page": self.catalog = words.popFirst()
            case "--list": self.isList = true
            case "--help", "-h": self.isHelp = true
            case let word where word.hasPrefix("-"):
                throw Unavailable("“\(word)” is not an option; --help lists the options")
            case let word: self.pattern = word
            }
        }
        self.only = (environment["BENCH_ONLY"] ?? "").split { $0 == "," || $0.isWhitespace }.map { String($0) }
    }
}
