import TidemarkJSON

/// A digest of a JSON value: equal JSON (Contract §4) has equal digests, however it is written.
///
/// It distinguishes a repetition from another edit with the same id (W4) if the edit itself is too large to be kept. It is
/// FNV-1a with 128 bits and need not resist an attack: a client that makes two edits with one digest harms only itself.
struct EditDigest {
    private var state: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
    private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013B

    /// The digest as hexadecimal digits.
    static func text(of json: JSON) -> String {
        var digest = EditDigest()
        digest.add(json)
        return String(digest.state, radix: 16)
    }

    private mutating func add(_ json: JSON) {
        switch json.byType {
        case .null: self.add(UInt8(ascii: "n"))
        case .bool(let value): self.add(UInt8(ascii: value ? "t" : "f"))
        case .number(let number): self.add(number.decimal)
        case .string(let string): self.add(string.value)
        case .array(let elements):
            self.add(UInt8(ascii: "["))
            for element in elements {
                self.add(element)
            }
            self.add(UInt8(ascii: "]"))
        case .object(let object):
            self.add(UInt8(ascii: "{"))
            // The order of keys has no meaning; sorted by code points, it is the same for all spellings.
            for member in object.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                self.add(member.key)
                self.add(member.value)
            }
            self.add(UInt8(ascii: "}"))
        }
    }

    /// Adds a number by its exact value: 1.0 is 1.
    private mutating func add(_ number: JSONDecimal) {
        self.add(UInt8(ascii: number.isNegative ? "-" : "+"))
        self.add(length: number.digits.count)
        for digit in number.digits {
            self.add(digit)
        }
        self.add(number.exponent.text)
    }

    /// Adds a string by its code points; the length before it separates it from its neighbors.
    private mutating func add(_ text: String) {
        self.add(UInt8(ascii: "\""))
        self.add(length: text.utf8.count)
        for byte in text.utf8 {
            self.add(byte)
        }
    }

    private mutating func add(length: Int) {
        for shift in stride(from: 0, to: 64, by: 8) {
            self.add(UInt8(truncatingIfNeeded: length >> shift))
        }
    }

    private mutating func add(_ byte: UInt8) {
        self.state = (self.state ^ UInt128(byte)) &* Self.prime
    }
}
