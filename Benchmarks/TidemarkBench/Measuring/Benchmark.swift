/// A benchmark as a value. ``Benchmarks`` lists all of them.
struct Benchmark {
    /// Whether larger or smaller values are better.
    enum Better: String {
        case more
        case less
    }

    /// The name by which it is chosen, such as `pull.floor_ratio`.
    let name: String

    /// The unit of the value.
    let unit: String

    /// The code to which `ratio` compares; nil for a benchmark without a comparison.
    let against: String?

    let better: Better

    /// The measured work, in a sentence.
    let summary: String

    /// Measures. Throws ``Unavailable`` if this machine can't run it.
    let run: (Laboratory) async throws -> Measurement
}

/// The reason why a benchmark can't run on this machine. The other benchmarks still run.
struct Unavailable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
