import TidemarkMachine

/// A lookup in the table of a record.
enum TransitionBenchmark {
    static var nanoseconds: Benchmark {
        Benchmark(
            name: "transition.ns", unit: "ns", against: nil, better: .less,
            summary: "RecordPhase.transition(on:), for every phase and event"
        ) { _ in
            let cells = RecordPhase.allCases.flatMap { phase in RecordEvent.allCases.map { (phase, $0) } }
            let times = 4_000
            let rounds = try await Turns.take(
                9,
                [
                    {
                        Stopwatch.cpu {
                            for _ in 0..<times { for (phase, event) in cells { keep(phase.transition(on: event)) } }
                        }
                    }
                ])
            return Measurement(rounds[0].map { $0 * 1e9 / Double(times * cells.count) }, clock: .cpu)
        }
    }
}
