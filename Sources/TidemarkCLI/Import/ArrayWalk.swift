/// Steps from element to element of an array, whose text has been parsed before.
struct ArrayWalk {
    private let bytes: [UInt8]
    private var offset: Int
    private var place = ImportReader.Place(line: 1, column: 1)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        self.offset = 0
        self.skip { $0 != UInt8(ascii: "[") }
        self.step()
    }

    /// Where the next element starts; steps behind it and its comma.
    mutating func next() -> ImportReader.Place {
        self.skip(ImportReader.isSpace)
        let start = self.place
        var depth = 0
        while self.offset < self.bytes.count {
            switch self.bytes[self.offset] {
            case UInt8(ascii: "\""): self.skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                self.step()
                return start
            default: break
            }
            self.step()
        }
        return start
    }

    /// To the quote at the end.
    private mutating func skipString() {
        self.step()
        while self.offset < self.bytes.count, self.bytes[self.offset] != UInt8(ascii: "\"") {
            if self.bytes[self.offset] == UInt8(ascii: "\\") { self.step() }
            self.step()
        }
    }

    private mutating func skip(_ isSkipped: (UInt8) -> Bool) {
        while self.offset < self.bytes.count, isSkipped(self.bytes[self.offset]) { self.step() }
    }

    private mutating func step() {
        guard self.offset < self.bytes.count else { return }
        let isLineEnd = self.bytes[self.offset] == UInt8(ascii: "\n")
        self.place =
            isLineEnd
            ? ImportReader.Place(line: self.place.line + 1, column: 1)
            : ImportReader.Place(line: self.place.line, column: self.place.column + 1)
        self.offset += 1
    }
}
