/// Line and column of a byte.
struct TextPlace {
    /// From 1; a line feed ends a line.
    let line: Int

    /// From 1, in bytes.
    let column: Int

    init(byteOffset: Int, in text: some Collection<UInt8>) {
        var line = 1
        var lineStart = 0
        for (offset, byte) in text.prefix(byteOffset).enumerated() where byte == UInt8(ascii: "\n") {
            line += 1
            lineStart = offset + 1
        }
        self.line = line
        self.column = byteOffset - lineStart + 1
    }
}
