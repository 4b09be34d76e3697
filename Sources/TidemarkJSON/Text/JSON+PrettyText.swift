extension JSON {
    /// The text for reading: two spaces for each level, one member or element a line, `[]` and `{}` on one line. Number text,
    /// string source and key order are unchanged.
    public var prettyText: String {
        var bytes: [UInt8] = []
        self.writePretty(to: &bytes, level: 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func writePretty(to bytes: inout [UInt8], level: Int) {
        switch self.byType {
        case .array(let elements) where !elements.isEmpty:
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                JSON.startLine(level + 1, isFirst: place == 0, to: &bytes)
                element.writePretty(to: &bytes, level: level + 1)
            }
            JSON.endLines(level, to: &bytes)
            bytes.append(UInt8(ascii: "]"))
        case .object(let object) where !object.isEmpty:
            bytes.append(UInt8(ascii: "{"))
            var members = object.makeIterator()
            var isFirst = true
            while let member = members.nextSlot() {
                JSON.startLine(level + 1, isFirst: isFirst, to: &bytes)
                isFirst = false
                member.key.write(to: &bytes)
                bytes.append(contentsOf: ": ".utf8)
                member.value.writePretty(to: &bytes, level: level + 1)
            }
            JSON.endLines(level, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        case .null, .bool, .number, .string, .array, .object:
            self.write(to: &bytes)
        }
    }

    private static func startLine(_ level: Int, isFirst: Bool, to bytes: inout [UInt8]) {
        if !isFirst {
            bytes.append(UInt8(ascii: ","))
        }
        self.endLines(level, to: &bytes)
    }

    private static func endLines(_ level: Int, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * level))
    }
}
