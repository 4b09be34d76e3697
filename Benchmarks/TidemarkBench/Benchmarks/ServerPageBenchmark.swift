import Foundation
import Tidemark
import TidemarkCore

/// The CPU time of the reference server for the answer to a GET.
enum ServerPageBenchmark {
    static let rows = 20_000

    static var page: Benchmark {
        Benchmark(
            name: "server.page_ms", unit: "CPU ms", against: nil, better: .less,
            summary: "the server's CPU time for a page of 500 records, compressed with gzip, to one client"
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let file = folder.appendingPathComponent("server.db").path
                let server = try Child(.server, [file, String(Self.rows), "0"])
                defer { server.end() }
                let remote = try HTTPRemote(url: "http://127.0.0.1:\(Int(try server.lineAsNumber()))/v1")
                let times = try await Turns.take(
                    7,
                    [
                        {
                            let start = try server.number("cpu")
                            let pages = try await Self.walk(remote)
                            return (try server.number("cpu") - start) * 1e3 / Double(pages)
                        }
                    ])
                return Measurement(times[0], clock: .cpu)
            }
        }
    }

    /// Reads the whole feed, and returns its number of pages.
    private static func walk(_ remote: HTTPRemote) async throws -> Int {
        var request = ExchangeRequest(collection: "tasks", cursor: nil, limit: 500)
        var pages = 0
        while true {
            let answer = try await remote.exchange(request)
            pages += 1
            guard answer.hasMore else { return pages }
            request.cursor = answer.cursor
        }
    }
}
