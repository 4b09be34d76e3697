/// What was typed, and what the environment says.
struct Options {
    static let help = """
        usage: TidemarkBench [--list | --help | --page CATALOGUE] [PATTERN]

        Measures Tidemark against what it is built on and what one would use instead, ours and the other in turn within one
        run. Only ratios mean something on another machine.

        PATTERN        names to measure, such as parse. or '*.floor_ratio'; all without it
        --list         the names, and what each does
        --page FOLDER  measures nothing: reads lines of results from standard input, and writes the table of Speed.md and
                       speed.svg in that folder anew
        BENCH_ONLY     names to measure, with commas or blanks between
        BENCH_DATA     a folder with pages.ndjson (a GET's answer a line), twitter.json, tasks.json and
                       tasks.{base,client,server}.ndjson to read in place of what is made from a seed

        Standard output has one JSON object a line: name, value, unit, ratio and against; min, median and max over the
        rounds; better (whether more or less of the value is), clock (what was measured), also (other ratios), details.
        A ratio says how many times as fast ours is; of push.linear and sync.flatness, how many times as dear the larger
        one. What can't be measured here has a null for its value, and says why in unavailable.
        Standard error has the same as a table for people.
        """

    var pattern: String?
    var only: [String] = []
    var isList = false
    var isHelp = false

    /// The documentation whose page about speed is to be written.
    var catalogue: String?

    init(_ arguments: [String], _ environment: [String: String]) throws {
        var words = arguments[...]
        while let argument = words.popFirst() {
            switch argument {
            case "--page": self.catalogue = words.popFirst()
            case "--list": self.isList = true
            case "--help", "-h": self.isHelp = true
            case let word where word.hasPrefix("-"): throw Unavailable("“\(word)” is no option; --help lists them")
            case let word: self.pattern = word
            }
        }
        self.only = (environment["BENCH_ONLY"] ?? "").split { $0 == "," || $0.isWhitespace }.map { String($0) }
    }
}
