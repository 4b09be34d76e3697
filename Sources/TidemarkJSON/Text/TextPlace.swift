/// Line and column of a byte.
struct TextPlace {
    /// From 1; a line feed ends a line.
    let line: Int

    /// From 1, in bytes.
    let column: Int

    init(byteOffset: Int, in text: some Collection<UInt8>) {
        var count = LineCount()
        count.read(text.prefix(byteOffset))
        self.init(count)
    }

    private init(_ count: LineCount) {
        self.line = count.line
        self.column = count.offset - count.lineStart + 1
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
