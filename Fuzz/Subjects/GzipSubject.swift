import TidemarkGzip

/// Bytes to pack, and the same bytes as what was packed.
enum GzipSubject {
    private static let limit = 1 << 20

    static func examine(_ input: [UInt8]) {
        let level = 1 + input.count % 9
        law("what is packed unpacks to itself") {
            try Gzip.decompress(Gzip.compress(input, level: level), limit: input.count) == input
        }
        guard let unpacked = try? Gzip.decompress(input, limit: self.limit) else { return }
        law("nothing unpacks to more than the limit (W10)") { unpacked.count <= self.limit }
        law("what unpacks does so at its exact size") {
            try Gzip.decompress(input, limit: unpacked.count) == unpacked
        }
    }
}
