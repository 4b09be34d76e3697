import TidemarkGzip
import TidemarkWire

/// The bytes on the network for an edit.
enum WireBenchmark {
    static let edits = 100

    static var bytes: Benchmark {
        Benchmark(
            name: "wire.bytes_per_edit", unit: "bytes", against: "the same body uncompressed", better: .less,
            summary: "the body of a POST of 100 edits of one field each, as gzip, by the number of edits"
        ) { laboratory in
            try await laboratory.withFolder { folder in
                let store = try await EditedStore(edits: Self.edits, in: folder)
                guard let body = store.exchanges.compactMap(\.wire.body).first else {
                    throw Unavailable("nothing was posted")
                }
                let packed = try Gzip.compress(body)
                var measurement = Measurement(
                    [Double(packed.count) / Double(Self.edits)], ratio: Double(body.count) / Double(packed.count),
                    clock: .none)
                measurement.add("uncompressed", Double(body.count) / Double(Self.edits))
                return measurement
            }
        }
    }
}
