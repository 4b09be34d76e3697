extension JSONString {
    /// Whether bytes of valid UTF-8 can be the source of a JSON string (RFC 8259 §7), with every surrogate escape paired (Contract
    /// §4).
    package static func isWellFormed(_ source: some Sequence<UInt8>) -> Bool {
        var rest = source.makeIterator()
        var highSurrogateIsOpen = false
        while let byte = rest.next() {
            var opensPair = false
            if byte == UInt8(ascii: "\\") {
                guard let letter = rest.next() else { return false }
                if letter == UInt8(ascii: "u") {
                    guard let unit = JSONString.checkedUnit(&rest) else { return false }
                    let isLow = (0xDC00..<0xE000).contains(unit)
                    guard isLow == highSurrogateIsOpen else { return false }
                    opensPair = (0xD800..<0xDC00).contains(unit)
                } else {
                    guard !highSurrogateIsOpen, JSONString.meaning(ofEscape: letter) != nil else { return false }
                }
            } else {
                guard !highSurrogateIsOpen, byte >= 0x20, byte != UInt8(ascii: "\"") else { return false }
            }
            highSurrogateIsOpen = opensPair
        }
        return !highSurrogateIsOpen
    }

    private static func checkedUnit(_ rest: inout some IteratorProtocol<UInt8>) -> UInt32? {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = rest.next().flatMap(JSONString.hexDigit) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }
}
