import TidemarkGzip

/// The body of an answer while it arrives.
///
/// It never holds more than ``HTTPClient/Limits/answerSize`` bytes: a compressed one is decompressed piece by piece, so that the
/// compressed bytes are not held beside the others, and one that is too large is refused at the first piece that shows it.
struct ReceivedBody {
    private let base: String
    private let limit: Int
    private let gzip: GzipStream?
    private var received = 0
    private var bytes: [UInt8] = []

    /// Begins with the first piece of a body. An answer without a body, as to a HEAD, may declare any length and coding.
    ///
    /// - Parameters:
    ///   - answer: The head.
    ///   - isPlain: Whether the transport has decompressed the body already.
    init(of answer: HTTPAnswer, for call: HTTPCall, isPlain: Bool = false) throws(HTTPFailure) {
        (self.base, self.limit) = (call.base, call.limits.answerSize)
        let coding = isPlain ? "" : answer.field("Content-Encoding")?.lowercased() ?? ""
        switch coding {
        case "identity", "": self.gzip = nil
        case "gzip", "x-gzip":
            do throws(GzipError) {
                self.gzip = try GzipStream(.unpacking)
            } catch {
                throw .brokenOff(self.base, error.message)
            }
        default: throw .notAsked(self.base, coding)
        }
        if let length = answer.field("Content-Length").flatMap({ Int($0) }), length > self.limit { throw self.tooLarge }
    }

    /// Appends a piece. After a failure the body is empty.
    mutating func append(_ piece: ArraySlice<UInt8>) throws(HTTPFailure) {
        do throws(HTTPFailure) {
            guard piece.count <= self.limit - self.received else { throw self.tooLarge }
            self.received += piece.count
            try self.store(piece)
        } catch {
            self.bytes = []
            throw error
        }
    }

    private mutating func store(_ piece: ArraySlice<UInt8>) throws(HTTPFailure) {
        guard let gzip = self.gzip else {
            self.bytes.reserve(for: piece.count, limit: self.limit)
            self.bytes.append(contentsOf: piece)
            return
        }
        do throws(GzipError) {
            try gzip.unpack(piece, into: &self.bytes, limit: self.limit)
        } catch {
            throw error.code == .tooLarge ? self.tooLarge : .brokenOff(self.base, error.message)
        }
    }

    /// Returns the whole body. A compressed one without its end was cut off, even if its JSON looks complete (RFC 1952 §2.3).
    consuming func whole() throws(HTTPFailure) -> [UInt8] {
        do throws(GzipError) {
            try self.gzip?.finish()
        } catch {
            throw .brokenOff(self.base, error.message)
        }
        return self.bytes
    }

    private var tooLarge: HTTPFailure { .tooLarge(self.base, self.limit) }
}
