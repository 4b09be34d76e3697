import CZlib

/// Compresses and decompresses gzip (RFC 1952), all in memory.
///
/// ```swift
/// let compressed = try Gzip.compress(body)
/// let decompressed = try Gzip.decompress(compressed, limit: 8 << 20)
/// ```
public enum Gzip {
    /// 15 bits of window, and 16 more, which selects gzip only in zlib.
    static let windowBits: Int32 = 15 + 16
    /// How many bytes are passed to zlib, or received from it, in one step.
    static let chunk = 64 * 1024

    /// Compresses `bytes` as one gzip member; `level` is zlib's, 1 (fast) to 9 (small).
    ///
    /// - Throws: `GzipError` with code `.outOfMemory` when zlib gets no memory, `.level` for a level outside 1…9.
    public static func compress(_ bytes: [UInt8], level: Int = 6) throws(GzipError) -> [UInt8] {
        guard (1...9).contains(level) else {
            throw GzipError(.level, "the level of gzip goes from 1 to 9, this one is \(level)")
        }
        let stream = try GzipStream(.packing(level: Int32(level)))
        return try stream.pack(bytes)
    }

    /// Decompresses one or several consecutive gzip members (RFC 1952 §2.2), never to more than `limit` bytes.
    ///
    /// A small body can expand to gigabytes; decompression stops at the first byte over the limit.
    ///
    /// - Throws: `GzipError`: `.tooLarge` over the limit, `.truncated` if the end is missing, `.corrupt` for any other error.
    public static func decompress(_ bytes: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
        let stream = try GzipStream(.unpacking)
        var output: [UInt8] = []
        try stream.unpack(bytes[...], into: &output, limit: limit)
        try stream.finish()
        return output
    }
}
