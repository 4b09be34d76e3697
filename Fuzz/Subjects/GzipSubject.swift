import TidemarkGzip

/// Compresses the bytes, and decompresses the same bytes as a gzip body.
enum GzipSubject {
    private static let limit = 1 << 20

    static func examine(_ input: [UInt8]) {
        let level = 1 + input.count % 9
        law("compressed bytes decompress to the same bytes") {
            try Gzip.decompress(Gzip.compress(input, level: level), limit: input.count) == input
        }
        guard let decompressed = try? Gzip.decompress(input, limit: self.limit) else { return }
        law("no input decompresses to more than the limit (W10)") { decompressed.count <= self.limit }
        law("a body is also decompressed with its exact size as the limit") {
            try Gzip.decompress(input, limit: decompressed.count) == decompressed
        }
    }
}
