/// Decompresses one or several consecutive gzip members (RFC 1952 §2.2) that arrive in pieces, so that the compressed bytes need not
/// be held.
package final class Gunzip {
    private let stream: GzipStream

    /// Begins.
    ///
    /// - Throws: `GzipError` with code `.outOfMemory` when zlib gets no memory.
    package init() throws(GzipError) {
        self.stream = try GzipStream(.unpacking)
    }

    /// Decompresses a piece, and appends the result to `output`, which never holds more than `limit` bytes.
    ///
    /// - Throws: `GzipError` as ``Gzip/decompress(_:limit:)``, but never `.truncated`. The rest can't be decompressed then.
    package func unpack(_ piece: ArraySlice<UInt8>, into output: inout [UInt8], limit: Int) throws(GzipError) {
        try self.stream.unpack(piece, into: &output, limit: limit)
    }

    /// Checks that the last member is whole: its end has the checksum and the size of the original.
    ///
    /// - Throws: `GzipError` with code `.truncated` if it is not.
    package func finish() throws(GzipError) {
        try self.stream.finish()
    }
}
