extension JSON {
    /// The compact text as UTF-8: no white space, with unchanged number text, string source and key order.
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
        switch self.storage {
        case .tape(let tape, let place): tape.read { $0.write(Int(place), to: &bytes) }
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
        case .members(let object):
            bytes.append(UInt8(ascii: "{"))
            var members = object.makeIterator()
            var isFirst = true
            while let member = members.next() {
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

extension TapeView {
    /// Appends the compact text of a value.
    func write(_ place: Int, to bytes: inout [UInt8]) {
        let node = self[place]
        guard node.kind >= TapeNode.Kind.array, node.has(TapeNode.Flag.loose) else {
            unsafe bytes.append(contentsOf: unsafe self.token(node))
            return
        }
        let isObject = node.kind == TapeNode.Kind.object
        bytes.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        var child = place + 1
        for index in 0..<node.count {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if isObject {
                unsafe bytes.append(contentsOf: unsafe self.token(self[child]))
                bytes.append(UInt8(ascii: ":"))
                child += 1
            }
            self.write(child, to: &bytes)
            child += self.size(child)
        }
        bytes.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
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

extension [UInt8] {
    /// Appends a compile-time constant.
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe self.append(contentsOf: $0) }
    }
}
