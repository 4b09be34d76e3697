import Foundation
import Tidemark

/// The time to open a store at the start of an app.
enum OpenBenchmark {
    static var million: Benchmark {
        Benchmark(
            name: "open.million_ms", unit: "ms", against: nil, better: .less,
            summary: "open a store of 1,000,000 records, and read one of them"
        ) { laboratory in
            let file = try laboratory.millionRecords().file
            var cpus: [Double] = []
            let walls = try await Turns.take(
                9,
                [
                    {
                        let start = (cpu: Stopwatch.cpu, wall: Stopwatch.wall)
                        let client = try EditedStore.client(file, Acknowledger(remembering: false))
                        keep(try await client["tasks"].list(limit: 1))
                        let wall = Stopwatch.wall - start.wall
                        cpus.append(Stopwatch.cpu - start.cpu)
                        await client.close()
                        return wall
                    }
                ])
            var measurement = Measurement(walls[0].map { $0 * 1e3 }, clock: .wall)
            measurement.add("cpu_ms", Spread(cpus).median * 1e3)
            return measurement
        }
    }
}
