extension JSON {
    /// The compact text as UTF-8: no white space, with number text, string source and key order as they came.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        self.write(to: &bytes)
        return bytes
    }

    /// The compact text, as ``bytes``.
    public var text: String {
        String(decoding: self.bytes, as: UTF8.self)
    }

    /// Appends the compact text.
    func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let number): bytes.append(contentsOf: number.text.utf8)
        case .string(let string): string.write(to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 {
                    bytes.append(UInt8(ascii: ","))
                }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            var members = object.makeIterator()
            var isFirst = true
            while let member = members.nextSlot() {
                if !isFirst {
                    bytes.append(UInt8(ascii: ","))
                }
                isFirst = false
                member.key.write(to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONString {
    /// Writes the source between quotes.
    func write(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: self.source.utf8)
        bytes.append(UInt8(ascii: "\""))
    }
}
