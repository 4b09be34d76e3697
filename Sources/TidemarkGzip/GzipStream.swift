import CZlib

/// One run of zlib over bytes in memory, which may arrive in pieces.
///
/// A class because zlib's stream must not move: its internal state points back to it, and zlib refuses a stream that has moved.
@safe package final class GzipStream {
    package enum Direction {
        case packing(level: Int32)
        case unpacking
    }

    private let direction: Direction
    private let stream: UnsafeMutablePointer<z_stream>

    /// Begins.
    ///
    /// - Throws: `GzipError` with code `.outOfMemory` when zlib gets no memory.
    package init(_ direction: Direction) throws(GzipError) {
        self.direction = direction
        unsafe self.stream = .allocate(capacity: 1)
        unsafe self.stream.initialize(to: z_stream())
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        let result =
            switch direction {
            case .packing(let level):
                unsafe deflateInit2_(
                    self.stream, level, Z_DEFLATED, Gzip.windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
            case .unpacking:
                unsafe inflateInit2_(self.stream, Gzip.windowBits, ZLIB_VERSION, size)
            }
        guard result == Z_OK else {
            throw GzipError(.outOfMemory, "gzip could not start (zlib says \(result)); free some memory and try again")
        }
    }

    deinit {
        switch self.direction {
        case .packing: unsafe deflateEnd(self.stream)
        case .unpacking: unsafe inflateEnd(self.stream)
        }
        unsafe self.stream.deinitialize(count: 1)
        unsafe self.stream.deallocate()
    }

    /// Compresses all of `input` as one member.
    func pack(_ input: [UInt8]) throws(GzipError) -> [UInt8] {
        var output: [UInt8] = []
        var position = 0
        repeat {
            let end = min(position + Gzip.chunk, input.count)
            position += try self.feed(
                input[position..<end], isLast: end == input.count, into: &output, limit: Int.max)
        } while !self.isFinished
        return output
    }

    /// Decompresses a piece, in chunks, since zlib counts in 32 bits, and appends the result to `output`, which never holds more
    /// than `limit` bytes. Several members may follow each other.
    ///
    /// - Throws: `GzipError` as ``Gzip/decompress(_:limit:)``, but never `.truncated`. The rest can't be decompressed then.
    package func unpack(_ piece: ArraySlice<UInt8>, into output: inout [UInt8], limit: Int) throws(GzipError) {
        var position = piece.startIndex
        while position < piece.endIndex {
            if self.isFinished {
                guard unsafe inflateReset(self.stream) == Z_OK else {
                    throw GzipError(.corrupt, "after byte \(self.unpacked) there is something that is not gzip")
                }
                self.isFinished = false
            }
            let end = min(position + Gzip.chunk, piece.endIndex)
            let used = try self.feed(piece[position..<end], isLast: false, into: &output, limit: limit)
            position += used
            self.unpacked += used
        }
    }

    /// Checks that the last member is whole: its end has the checksum and the size of the original.
    ///
    /// - Throws: `GzipError` with code `.truncated` if it is not.
    package func finish() throws(GzipError) {
        guard self.isFinished else {
            throw GzipError(
                .truncated, "the gzip body ends at byte \(self.unpacked), before its end was reached; send it again")
        }
    }

    /// The compressed bytes so far.
    private var unpacked = 0

    /// True after the end of a member was read or written.
    private var isFinished = false

    /// Passes one chunk to zlib until it is used up or the member ends, and returns how many bytes were used.
    private func feed(
        _ chunk: ArraySlice<UInt8>, isLast: Bool, into output: inout [UInt8], limit: Int
    ) throws(GzipError) -> Int {
        let result: Result<Int, GzipError> = unsafe chunk.withUnsafeBufferPointer { source in
            do throws(GzipError) {
                // zlib never writes to its input; its C declaration just predates const.
                unsafe self.stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress)
                unsafe self.stream.pointee.avail_in = UInt32(source.count)
                while try self.step(isLast: isLast, into: &output, limit: limit) {}
                return .success(source.count - Int(unsafe self.stream.pointee.avail_in))
            } catch {
                return .failure(error)
            }
        }
        unsafe self.stream.pointee.next_in = nil
        return try result.get()
    }

    /// One call of zlib; false when this chunk gives no more output.
    private func step(isLast: Bool, into output: inout [UInt8], limit: Int) throws(GzipError) -> Bool {
        var result: Int32 = Z_OK
        var produced = 0
        let room = unsafe [UInt8](unsafeUninitializedCapacity: Gzip.chunk) { buffer, count in
            unsafe self.stream.pointee.next_out = buffer.baseAddress
            unsafe self.stream.pointee.avail_out = UInt32(Gzip.chunk)
            switch self.direction {
            case .packing: unsafe result = deflate(self.stream, isLast ? Z_FINISH : Z_NO_FLUSH)
            case .unpacking: unsafe result = inflate(self.stream, Z_NO_FLUSH)
            }
            unsafe produced = Gzip.chunk - Int(self.stream.pointee.avail_out)
            unsafe self.stream.pointee.next_out = nil
            count = produced
        }
        guard produced <= limit - output.count else {
            throw GzipError(.tooLarge, "decompressed, the gzip body is larger than \(limit) bytes; send less at once")
        }
        output.reserve(for: produced, limit: limit)
        output.append(contentsOf: room)
        switch result {
        case Z_STREAM_END:
            self.isFinished = true
            return false
        case Z_OK:
            return unsafe self.stream.pointee.avail_out == 0 || self.stream.pointee.avail_in > 0
        case Z_BUF_ERROR:
            return false
        case Z_MEM_ERROR:
            throw GzipError(.outOfMemory, "gzip got no memory; free some and try again")
        default:
            throw GzipError(
                .corrupt, "the body is not gzip, or was damaged on the way (zlib says \(result)); send it again")
        }
    }
}
