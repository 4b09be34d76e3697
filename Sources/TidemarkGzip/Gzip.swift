import CZlib

/// Packs and unpacks gzip (RFC 1952), all in memory.
///
/// ```swift
/// let packed = try Gzip.compress(body)
/// let unpacked = try Gzip.decompress(packed, limit: 8 << 20)
/// ```
public enum Gzip {
    /// 15 bits of window, and 16 more, which is how zlib is told to speak gzip and nothing else.
    static let windowBits: Int32 = 15 + 16
    /// How many bytes are handed to zlib, or taken from it, in one step.
    static let chunk = 64 * 1024

    /// Packs `bytes` as one gzip member; `level` is zlib's, 1 (fast) to 9 (small).
    ///
    /// - Throws: `GzipError` with code `.outOfMemory` when zlib gets no memory, `.level` for a level outside 1…9.
    public static func compress(_ bytes: [UInt8], level: Int = 6) throws(GzipError) -> [UInt8] {
        guard (1...9).contains(level) else {
            throw GzipError(.level, "the level of gzip goes from 1 to 9, this one is \(level)")
        }
        let stream = try GzipStream(.packing(level: Int32(level)))
        return try stream.run(bytes, limit: Int.max)
    }

    /// Unpacks one gzip member or several on end (RFC 1952 §2.2), never to more than `limit` bytes.
    ///
    /// A small body can unpack to gigabytes; the work stops with the byte that goes over the limit.
    ///
    /// - Throws: `GzipError`: `.tooLarge` over the limit, `.truncated` when the end is missing, `.corrupt` for all else.
    public static func decompress(_ bytes: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
        let stream = try GzipStream(.unpacking)
        return try stream.run(bytes, limit: limit)
    }
}
