/// Finds the end of an array element: the comma or bracket after it. The parser checks the element itself.
struct ElementWalk {
    /// The position of the search; the end of the element, once found.
    var place: Int

    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    init(from start: Int) {
        self.place = start
    }

    /// Whether the end of the element is in the bytes; if not, the search continues when there are more.
    mutating func isOver(_ bytes: [UInt8]) -> Bool {
        while self.place < bytes.count {
            let byte = bytes[self.place]
            if self.isEscaped {
                self.isEscaped = false
            } else if self.isInString {
                self.isInString = byte != UInt8(ascii: "\"")
                self.isEscaped = byte == UInt8(ascii: "\\")
            } else {
                switch byte {
                case UInt8(ascii: "\""): self.isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): self.depth += 1
                case UInt8(ascii: ",") where self.depth == 0: return true
                case UInt8(ascii: "]") where self.depth == 0: return true
                case UInt8(ascii: "}"), UInt8(ascii: "]"): self.depth = max(0, self.depth - 1)
                default: break
                }
            }
            self.place += 1
        }
        return false
    }
}
