/// One of ours and others that do the same, in turn, by the time of the processor.
struct Contest {
    private let rounds: Int
    private let ours: () throws -> Void
    private var others: [(name: String, work: () throws -> Void)] = []
    private var lacks: [String] = []

    init(rounds: Int, ours: @escaping () throws -> Void) {
        self.rounds = rounds
        self.ours = ours
    }

    /// Adds one; where it can't be had here, that is noted and the others go on.
    mutating func add(_ name: String, _ prepare: () throws -> () throws -> Void) {
        do {
            self.others.append((name, try prepare()))
        } catch {
            self.lacks.append("\(name): \(error)")
        }
    }

    /// The first that was added is what the ratio is held against.
    ///
    /// - Parameter value: What to make of the seconds of a round.
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

    /// What comes first counts, unless it is missing.
    private var primary: String? { self.lacks.isEmpty ? self.others.first?.name : nil }
}
