import Foundation
import Tidemark

/// Parsing a text to a value, compared with other libraries, and with yajl, which only finds the tokens.
enum ParseBenchmark {
    static var twitter: Benchmark {
        self.benchmark("twitter", "some 600 kB of nested objects, escapes and long texts") {
            try TwitterMaker.text($0)
        }
    }

    static var tasks: Benchmark {
        self.benchmark("tasks", "20,000 small records in one array") { try TaskVersions.text($0) }
    }

    private static func benchmark(
        _ name: String, _ text: String, _ make: @escaping @Sendable (Laboratory) throws -> [UInt8]
    ) -> Benchmark {
        Benchmark(
            name: "parse.\(name)", unit: "MB/s", against: "nlohmann/json", better: .more,
            summary: "parse \(text) to a JSON value"
        ) { laboratory in
            try await Self.measure(try make(laboratory), laboratory)
        }
    }

    private static func measure(_ text: [UInt8], _ laboratory: Laboratory) async throws -> Measurement {
        // Long enough for the clock, and short enough for many rounds.
        let times = max(1, 6_000_000 / text.count)
        let data = Data(text)
        var contest = Contest(rounds: 15) {
            for _ in 0..<times { keep(try JSON(parsing: text)) }
        }
        contest.add("nlohmann/json") {
            let peer = try Nlohmann("parse", [text], library: try laboratory.nlohmann.get())
            return { for _ in 0..<times { peer() } }
        }
        contest.add("yajl's bare tokenizing") { { for _ in 0..<times { try BareTokens.read(text) } } }
        contest.add("JSONSerialization") {
            { for _ in 0..<times { keep(try JSONSerialization.jsonObject(with: data)) } }
        }
        return try await contest.run { seconds in Double(text.count * times) / seconds / 1e6 }
    }
}
