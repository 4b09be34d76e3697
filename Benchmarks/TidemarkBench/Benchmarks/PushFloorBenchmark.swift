import Foundation
import Tidemark
import TidemarkHTTPClient
import TidemarkWire

/// Edits to a server that accepts them at once, compared with the same requests and updates without an engine.
enum PushFloorBenchmark {
    static let edits = 10_000

    static var ratio: Benchmark {
        Benchmark(
            name: "push.floor_ratio", unit: "×",
            against: "POSTs of the same bytes, and SQLite updates of the same rows",
            better: .more, summary: "send 10,000 edits over loopback HTTP, and apply the answers that accept them"
        ) { laboratory in
            try await laboratory.withFolder { folder in try await Self.measure(folder) }
        }
    }

    private static func measure(_ folder: URL) async throws -> Measurement {
        let store = try await EditedStore(edits: self.edits, in: folder)
        let answers = folder.appendingPathComponent("answers.ndjson")
        try Data(store.exchanges.map(\.answer).joined(separator: [UInt8(ascii: "\n")])).write(to: answers)
        let bare = folder.appendingPathComponent("bare.db")
        // The rows as they were before the edits, since SQLite writes no row that does not change.
        try BareStore(bare).insert(store.exchanges.flatMap(\.rows).map(\.atFirst))
        let server = try Child(.replay, [answers.path])
        defer { server.end() }
        let url = "http://127.0.0.1:\(Int(try server.lineAsNumber()))/v1"

        let times = try await Turns.take(
            5,
            [
                {
                    _ = try server.number("again")
                    let copy = try store.copy()
                    defer { try? FileManager.default.removeItem(at: copy) }
                    return try await Stopwatch.cpu { try await EditedStore.sync(copy, .http(url)) }
                },
                {
                    _ = try server.number("again")
                    return try await Stopwatch.cpu { try await Self.post(store.exchanges, to: url, bare) }
                },
            ])
        var measurement = Measurement(ratios: Turns.ratios(of: times[1], to: times[0]), clock: .cpu)
        measurement.add("edits_per_second", Double(self.edits) / Spread(times[0]).median)
        measurement.add("others_edits_per_second", Double(self.edits) / Spread(times[1]).median)
        return measurement
    }

    private static func post(_ exchanges: [Acknowledger.Exchange], to url: String, _ file: URL) async throws {
        let copy = try EditedStore.copy(of: file)
        defer { try? FileManager.default.removeItem(at: copy) }
        let store = try BareStore(opening: copy)
        // Compression costs CPU time, so both sides compress their bodies.
        let client = try HTTPClient(url: url, limits: .init(packedFrom: HTTPRemote.Options().packedFrom))
        for exchange in exchanges {
            let wire = exchange.wire
            let answer = try await client.send(
                HTTPRequest(wire.method, wire.target, fields: wire.headers, body: wire.body))
            guard answer.status == 200 else { throw Unavailable("the canned server answered \(answer.status)") }
            try store.update(exchange.rows[...])
        }
    }
}
