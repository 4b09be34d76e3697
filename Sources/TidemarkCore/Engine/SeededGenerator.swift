/// SplitMix64: small, fast, and the same everywhere for the same seed. Not for secrets.
package struct SeededGenerator: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Makes a generator; the same seed gives the same numbers.
    package init(seed: UInt64) {
        self.state = seed
    }

    /// Returns the next number.
    package mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a random UUID (RFC 9562, version 4), in lower case.
    package mutating func uuid() -> String {
        let high = (self.next() & 0xFFFF_FFFF_FFFF_0FFF) | 0x4000
        let low = (self.next() & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for place in 0..<32 {
            if place == 8 || place == 12 || place == 16 || place == 20 { text.append(UInt8(ascii: "-")) }
            let digit = UInt8(truncatingIfNeeded: (place < 16 ? high : low) >> UInt64(60 - 4 * (place % 16))) & 0xF
            text.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
