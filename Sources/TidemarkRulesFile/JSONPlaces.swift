import TidemarkJSON

/// Where the members of a JSON text stand, for messages. The text has been parsed before, so it is known to be JSON.
struct JSONPlaces {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The offset of the key at the end of a path through objects; of the innermost object that is there, when it is not.
    func key(_ path: JSONPointer) -> Int { self.place(path, ofKey: true) }

    /// The offset of the value at a path through objects.
    func value(_ path: JSONPointer) -> Int { self.place(path, ofKey: false) }

    private func place(_ path: JSONPointer, ofKey: Bool) -> Int {
        var walk = self
        walk.skipSpace()
        var place = walk.offset
        for token in path.tokens {
            guard let member = walk.member(token) else { return place }
            walk.offset = member.value
            place = ofKey ? member.key : member.value
        }
        return place
    }

    /// The last member with a key, since of a repeated key the last counts.
    private mutating func member(_ name: String) -> (key: Int, value: Int)? {
        guard self.take("{") else { return nil }
        var found: (key: Int, value: Int)?
        while self.peek == UInt8(ascii: "\"") {
            let key = self.offset
            let text = self.skipString()
            self.skipSpace()
            _ = self.take(":")
            if JSONString(source: text).map({ CodePointString($0.value) == CodePointString(name) }) == true {
                found = (key, self.offset)
            }
            self.skipValue()
            _ = self.take(",")
        }
        return found
    }

    private var peek: UInt8? { self.offset < self.bytes.count ? self.bytes[self.offset] : nil }

    /// Steps over one byte and the space behind it.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard self.peek == UInt8(ascii: character) else { return false }
        self.offset += 1
        self.skipSpace()
        return true
    }

    private mutating func skipSpace() {
        while let byte = self.peek, byte <= 0x20 { self.offset += 1 }
    }

    /// Steps over a string, and returns what is between its quotes.
    private mutating func skipString() -> String {
        let start = self.offset + 1
        self.offset += 1
        while let byte = self.peek, byte != UInt8(ascii: "\"") {
            self.offset += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        let end = min(self.offset, self.bytes.count)
        self.offset = end + 1
        return String(decoding: self.bytes[min(start, end)..<end], as: UTF8.self)
    }

    /// Steps over a value and the space behind it.
    private mutating func skipValue() {
        var depth = 0
        while let byte = self.peek {
            switch byte {
            case UInt8(ascii: "\""): _ = self.skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                self.offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard depth > 0 else { return }
                depth -= 1
                self.offset += 1
            case UInt8(ascii: ","):
                guard depth > 0 else { return }
                self.offset += 1
            default: self.offset += 1
            }
        }
    }
}
