/// What came of a benchmark.
struct Measurement {
    /// What the time is that was measured.
    enum Clock: String {
        /// Of all threads of the process that is named, in the kernel and outside of it. Others who use the machine hardly show.
        case cpu = "CPU time"

        /// From the first to the last moment.
        case wall = "wall time"

        /// Not a time.
        case none = "no time"
    }

    /// Another number beside the one that has the name.
    struct Detail {
        let name: String
        let value: Double
    }

    /// The value of each round.
    var values: Spread

    /// How many times as good as what it is held against; nil where there is nothing, or where it is missing here.
    var ratio: Double?
    var clock: Clock

    /// The same for others that it was held against.
    var others: [(against: String, ratio: Double)] = []
    var details: [Detail] = []

    /// What this machine lacks of it.
    var lacks: [String] = []

    init(_ values: [Double], ratio: Double? = nil, clock: Clock) {
        self.values = Spread(values)
        self.ratio = ratio
        self.clock = clock
    }

    /// A value that is a ratio itself.
    init(ratios: [Double], clock: Clock) {
        self.init(ratios, ratio: Spread(ratios).median, clock: clock)
    }

    mutating func add(_ name: String, _ value: Double) {
        self.details.append(Detail(name: name, value: value))
    }
}

/// The smallest, the middle and the largest of some numbers.
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
