extension JSONString {
    /// The maximum number of source bytes for each decoded byte: `\u0041` is A.
    private static let escapeBytes = 6

    /// Whether a source of one length can decode to a string of another length: a source is never shorter, and at most six
    /// times as long. If this is false, neither has to be read.
    static func mayMean(_ bytes: Int, _ source: Int) -> Bool {
        bytes / escapeBytes <= source
    }

    /// Whether the decoded string has the same code points as another; reads no more than is needed.
    func decodes(to value: String) -> Bool {
        let (mine, theirs) = (self.source.utf8.count, value.utf8.count)
        guard mine > theirs else {
            // As long as its value: it has no escapes, or it decodes to a shorter string.
            return self.source.hasSameCodePoints(as: value) && !self.hasEscapes
        }
        return JSONString.mayMean(mine, theirs) && Decoding(self.source.utf8.makeIterator()).elementsEqual(value.utf8)
    }

    /// The decoded bytes of well-formed source text, one by one.
    struct Decoding<Source: IteratorProtocol<UInt8>>: Sequence, IteratorProtocol {
        private var rest: Source

        /// The remaining bytes of the last escape, the next byte lowest.
        private var pending: UInt32 = 0
        private var pendingCount = 0

        init(_ source: Source) {
            self.rest = source
        }

        mutating func next() -> UInt8? {
            if self.pendingCount > 0 {
                defer {
                    self.pending >>= 8
                    self.pendingCount -= 1
                }
                return UInt8(truncatingIfNeeded: self.pending)
            }
            guard let byte = self.rest.next() else { return nil }
            guard byte == UInt8(ascii: "\\"), let letter = self.rest.next() else { return byte }
            guard letter == UInt8(ascii: "u") else { return JSONString.meaning(ofEscape: letter) ?? letter }
            for byte in UTF8.encode(JSONString.scalar(&self.rest)) ?? UTF8.encodedReplacementCharacter {
                self.pending |= UInt32(byte) << UInt32(8 * self.pendingCount)
                self.pendingCount += 1
            }
            return self.next()
        }
    }
}
