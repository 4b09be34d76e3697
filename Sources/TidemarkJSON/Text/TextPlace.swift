/// The position of a byte, with line and column.
package struct TextPlace: Hashable, Sendable {
    /// From 0, in bytes.
    package let byteOffset: Int

    /// From 1; a line feed ends a line.
    package let line: Int

    /// From 1, in bytes.
    package let column: Int

    /// The start of a text.
    package static let start = TextPlace(LineCount())

    /// Counts the lines of a text up to a byte; the text is at `start` of a longer one.
    package init(byteOffset: Int, in text: some Collection<UInt8>, at start: TextPlace = .start) {
        var count = LineCount()
        count.read(text.prefix(byteOffset))
        self = TextPlace(count).moved(to: start)
    }

    private init(_ count: LineCount) {
        self.init(byteOffset: count.offset, line: count.line, column: count.offset - count.lineStart + 1)
    }

    init(byteOffset: Int, line: Int, column: Int) {
        self.byteOffset = byteOffset
        self.line = line
        self.column = column
    }

    /// The place of this byte in a longer text, in which this text is at `start`.
    func moved(to start: TextPlace) -> TextPlace {
        TextPlace(
            byteOffset: start.byteOffset + self.byteOffset, line: start.line + self.line - 1,
            column: self.line == 1 ? start.column + self.column - 1 : self.column)
    }

    /// The place after some bytes that begin here.
    package func advanced(over bytes: UnsafeBufferPointer<UInt8>) -> TextPlace {
        let lines = unsafe bytes.count(of: UInt8(ascii: "\n"))
        let last = lines == 0 ? nil : unsafe bytes.lastIndex(of: UInt8(ascii: "\n"))
        return TextPlace(
            byteOffset: self.byteOffset + bytes.count, line: self.line + lines,
            column: last.map { bytes.count - $0 } ?? self.column + bytes.count)
    }

    /// The positions of several bytes in the order of the text, which is read once for all of them.
    static func places(ofOrdered offsets: [Int], in text: some Collection<UInt8>) -> [TextPlace] {
        var count = LineCount()
        var rest = text[...]
        return offsets.map { offset in
            count.read(rest.prefix(offset - count.offset))
            rest = text.dropFirst(count.offset)
            return TextPlace(count)
        }
    }

    /// The lines read so far.
    private struct LineCount {
        var offset = 0
        var line = 1
        var lineStart = 0

        mutating func read(_ bytes: some Collection<UInt8>) {
            for byte in bytes {
                self.offset += 1
                guard byte == UInt8(ascii: "\n") else { continue }
                self.line += 1
                self.lineStart = self.offset
            }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// How often a byte occurs, found eight bytes at a time.
    fileprivate func count(of byte: UInt8) -> Int {
        guard let base = unsafe UnsafeRawPointer(self.baseAddress) else { return 0 }
        let pattern = UInt64(byte) &* 0x0101_0101_0101_0101
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        var (found, offset) = (0, 0)
        while offset &+ 8 <= self.count {
            let other = unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self) ^ pattern
            // The highest bit of each byte stays 0 only for an equal one.
            found &+= (~(((other & low) &+ low) | other | low)).nonzeroBitCount
            offset &+= 8
        }
        while offset < self.count {
            found &+= unsafe self[offset] == byte ? 1 : 0
            offset &+= 1
        }
        return found
    }
}
