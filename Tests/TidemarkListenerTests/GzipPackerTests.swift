import TestSupport
import Testing
import TidemarkGzip

@testable import TidemarkListener

@Suite("Compression of answers (RFC 1952)", .timeLimit(.minutes(10)))
struct GzipPackerTests {
    @Test(arguments: [300, 1_023, 1_024, 65_537, 3_000_000])
    func `a compressed body is smaller, and decompresses to the same bytes`(count: Int) throws {
        let bytes = SeededGenerator.noise(count).map { $0 & 3 }
        let packed = try #require(GzipPacker.pack(bytes))
        #expect(packed.count < bytes.count)
        #expect(try Gzip.decompress(packed, limit: bytes.count) == bytes)
    }

    @Test(arguments: [0, 1, 2, 1_024, 1_000_000])
    func `a body that would not become smaller is not compressed`(count: Int) {
        #expect(GzipPacker.pack(SeededGenerator.noise(count)) == nil)
    }

    @Test func `many bodies are compressed at the same time`() async throws {
        let bodies = (0..<32).map { [UInt8](repeating: UInt8($0), count: 10_000) }
        let packed = await withTaskGroup { group in
            for body in bodies { group.addTask { (body[0], GzipPacker.pack(body)) } }
            return await group.reduce(into: [UInt8: [UInt8]]()) { $0[$1.0] = $1.1 }
        }
        for body in bodies {
            #expect(try Gzip.decompress(#require(packed[body[0]]), limit: 10_000) == body)
        }
    }
}
