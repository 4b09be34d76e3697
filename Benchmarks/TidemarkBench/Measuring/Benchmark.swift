/// One thing that is measured, as a value: the table of them is ``Benchmarks``.
struct Benchmark {
    /// Which of two numbers is the better one.
    enum Better: String {
        case more
        case less
    }

    /// Such as `pull.floor_ratio`; what is chosen by.
    let name: String

    /// What the value counts.
    let unit: String

    /// What `ratio` compares with; nil where there is nothing to compare with.
    let against: String?

    let better: Better

    /// What is done, in a sentence.
    let summary: String

    /// Measures. Throws ``Unavailable`` where it can't be done here.
    let run: (Laboratory) async throws -> Measurement
}

/// Why something can't be measured on this machine; the others still can.
struct Unavailable: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
