import TestSupport
import Testing
import TidemarkGzip

@Suite("Gzip (RFC 1952)")
struct GzipTests {
    @Test(arguments: [0, 1, 100, 65_535, 65_536, 65_537, 1_000_000])
    func `compressed bytes decompress to the same bytes`(count: Int) throws {
        for bytes in [SeededGenerator.noise(count), [UInt8](repeating: 0x61, count: count)] {
            let packed = try Gzip.compress(bytes)
            #expect(try Gzip.decompress(packed, limit: count) == bytes)
        }
    }

    @Test func `a compressed body begins with the gzip magic and is smaller if it repeats itself`() throws {
        let packed = try Gzip.compress([UInt8](repeating: 7, count: 100_000))
        #expect(packed.prefix(3) == [0x1F, 0x8B, 0x08])
        #expect(packed.count < 1_000)
    }

    @Test func `a file that the gzip command wrote is decompressed`() throws {
        // printf hello | gzip -n
        let file: [UInt8] = [
            0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0, 0x86, 0xA6, 0x10, 0x36, 5,
            0, 0, 0,
        ]
        #expect(try Gzip.decompress(file, limit: 5) == Array("hello".utf8))
    }

    @Test func `several gzip members are read as one body`() throws {
        let packed = try Gzip.compress(Array("tide".utf8)) + Gzip.compress(Array("mark".utf8))
        #expect(try Gzip.decompress(packed, limit: 100) == Array("tidemark".utf8))
    }

    @Test func `decompression of a bomb stops at the limit`() throws {
        let bomb = try Gzip.compress([UInt8](repeating: 0, count: 20_000_000))
        #expect(bomb.count < 30_000)
        let error = #expect(throws: GzipError.self) { try Gzip.decompress(bomb, limit: 1_000_000) }
        #expect(error?.code == .tooLarge)
    }

    @Test func `a body of exactly the limit is decompressed, and one byte more is refused`() throws {
        let packed = try Gzip.compress(SeededGenerator.noise(70_000))
        #expect(try Gzip.decompress(packed, limit: 70_000).count == 70_000)
        let error = #expect(throws: GzipError.self) { try Gzip.decompress(packed, limit: 69_999) }
        #expect(error?.code == .tooLarge)
    }

    @Test func `a body cut anywhere is an error, and not a shorter body`() throws {
        let packed = try Gzip.compress(SeededGenerator.noise(300))
        for length in 0..<packed.count {
            let error = #expect(throws: GzipError.self) {
                try Gzip.decompress(Array(packed.prefix(length)), limit: 1_000)
            }
            #expect(error?.code == .truncated, "cut after \(length) bytes")
        }
    }

    @Test func `a damaged body, plain text and extra bytes after the end are refused`() throws {
        var damaged = try Gzip.compress(SeededGenerator.noise(300))
        damaged[damaged.count - 6] ^= 0xFF
        let inputs = try [damaged, Array("not gzip at all".utf8), Gzip.compress([1, 2, 3]) + Array("rubbish".utf8)]
        for input in inputs {
            let error = #expect(throws: GzipError.self) { try Gzip.decompress(input, limit: 1_000) }
            #expect(error?.code == .corrupt)
            #expect(error?.description.contains("send it again") == true)
        }
    }

    @Test(arguments: [0, 10]) func `a level that gzip does not have is refused`(level: Int) {
        let error = #expect(throws: GzipError.self) { try Gzip.compress([1], level: level) }
        #expect(error?.code == .level)
    }

    @Test(arguments: [1, 7, 100, 65_536])
    func `a body in pieces decompresses to the same bytes, also across its members`(size: Int) throws {
        let packed = try Gzip.compress(SeededGenerator.noise(500)) + Gzip.compress(SeededGenerator.noise(700))
        let gunzip = try GzipStream(.unpacking)
        var output: [UInt8] = []
        for start in stride(from: 0, to: packed.count, by: size) {
            #expect(throws: Never.self) {
                try gunzip.unpack(packed[start..<min(start + size, packed.count)], into: &output, limit: 1_200)
            }
        }
        try gunzip.finish()
        #expect(output == SeededGenerator.noise(500) + SeededGenerator.noise(700))
    }

    @Test(arguments: [100, 4_096, 1 << 20, 10_000_000, 150_000_000])
    func `a growing body never holds more bytes than its limit, with their copy while it grows`(limit: Int) {
        var body: [UInt8] = []
        var (most, room, growths) = (0, 0, 0)
        let bytes = [UInt8](repeating: 0, count: limit < 1 << 20 ? 100 : 16_384)
        while body.count < limit {
            let piece = bytes.prefix(limit - body.count)
            let before = body.capacity
            body.reserve(for: piece.count, limit: limit)
            most = max(most, body.capacity == before ? body.count : 2 * body.count)
            room = body.capacity
            body.append(contentsOf: piece)
            // Appending would have grown it further.
            growths += body.capacity == room ? 0 : 1
        }
        #expect(growths == 0)
        #expect(most <= limit, "\(most)")
        // An allocation may be rounded up, by a page at most.
        #expect(room <= limit + 4_096, "\(room)")
    }
}
