/// Tidemark and other code that does the same work, in turn, by CPU time.
struct Contest {
    private let rounds: Int
    private let ours: () throws -> Void
    private var others: [(name: String, work: () throws -> Void)] = []
    private var lacks: [String] = []

    init(rounds: Int, ours: @escaping () throws -> Void) {
        self.rounds = rounds
        self.ours = ours
    }

    /// Adds other code. If it is not available here, that is noted, and the others still run.
    mutating func add(_ name: String, _ prepare: () throws -> () throws -> Void) {
        do {
            self.others.append((name, try prepare()))
        } catch {
            self.lacks.append("\(name): \(error)")
        }
    }

    /// Runs all. The ratio compares with the code that was added first.
    ///
    /// - Parameter value: Converts the seconds of a round to the value.
    func run(_ value: (Double) -> Double) async throws -> Measurement {
        let contenders = [self.ours] + self.others.map(\.work)
        let times = try await Turns.take(self.rounds, contenders.map { work in { try Stopwatch.cpu(work) } })
        var measurement = Measurement(times[0].map(value), clock: .cpu)
        measurement.lacks = self.lacks
        for (other, times_) in zip(self.others, times.dropFirst()) {
            let ratio = Spread(Turns.ratios(of: times_, to: times[0])).median
            if other.name == self.primary {
                measurement.ratio = ratio
            } else {
                measurement.others.append((other.name, ratio))
            }
        }
        return measurement
    }

    /// The name of the code that was added first, unless it is missing.
    private var primary: String? { self.lacks.isEmpty ? self.others.first?.name : nil }
}
