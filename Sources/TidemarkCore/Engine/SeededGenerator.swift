/// SplitMix64: small, fast, and the same everywhere for the same seed. Not for secrets.
public struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Makes a generator; the same seed gives the same numbers.
    public init(seed: UInt64) {
        self.state = seed
    }

    /// The next number.
    public mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A random UUID (RFC 9562, version 4), in lower case.
    public mutating func uuid() -> String {
        let high = (self.next() & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000
        let low = (self.next() & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        let digits = Self.hexadecimal(high) + Self.hexadecimal(low)
        let text = String(decoding: digits, as: UTF8.self)
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
            text.utf8.dropFirst(range.lowerBound).prefix(range.count)
        }
        return parts.compactMap { String($0) }.joined(separator: "-")
    }

    private static func hexadecimal(_ value: UInt64) -> [UInt8] {
        stride(from: 60, through: 0, by: -4).map { shift in
            let digit = UInt8((value >> UInt64(shift)) & 0xF)
            return digit < 10 ? 0x30 + digit : 0x57 + digit
        }
    }
}
