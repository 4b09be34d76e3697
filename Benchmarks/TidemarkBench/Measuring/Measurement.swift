/// The result of a benchmark.
struct Measurement {
    /// The kind of time that was measured.
    enum Clock: String {
        /// The time of all threads of the process, in user space and in the kernel. Other load affects it little.
        case cpu = "CPU time"

        /// The elapsed time.
        case wall = "wall time"

        /// Not a time.
        case none = "no time"
    }

    /// An additional number with a name.
    struct Detail {
        let name: String
        let value: Double
    }

    /// The value of each round.
    var values: Spread

    /// The value relative to the other code; nil without a comparison, or if the other code is missing here.
    var ratio: Double?
    var clock: Clock

    /// The ratios to other code.
    var others: [(against: String, ratio: Double)] = []
    var details: [Detail] = []

    /// The reasons for comparisons that this machine lacks.
    var lacks: [String] = []

    init(_ values: [Double], ratio: Double? = nil, clock: Clock) {
        self.values = Spread(values)
        self.ratio = ratio
        self.clock = clock
    }

    /// Makes a measurement whose value is a ratio.
    init(ratios: [Double], clock: Clock) {
        self.init(ratios, ratio: Spread(ratios).median, clock: clock)
    }

    mutating func add(_ name: String, _ value: Double) {
        self.details.append(Detail(name: name, value: value))
    }
}

/// The minimum, the median and the maximum of some numbers.
struct Spread {
    let least: Double
    let median: Double
    let most: Double
    let count: Int

    init(_ values: [Double]) {
        precondition(!values.isEmpty, "A spread of no values.")
        let sorted = values.sorted()
        let middle = sorted.count / 2
        self.least = sorted[0]
        self.median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        self.most = sorted[sorted.count - 1]
        self.count = sorted.count
    }
}
