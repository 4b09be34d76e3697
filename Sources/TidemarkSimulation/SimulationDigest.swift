/// FNV-1a over all that happened, so that two runs can be compared by one number. Not for secrets.
struct SimulationDigest {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { self.state = (self.state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        // Two texts are not one.
        self.state = (self.state ^ 0xFF) &* 0x0000_0100_0000_01B3
    }

    mutating func add(_ text: String) { self.add(text.utf8) }

    var text: String {
        let digits = String(self.state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
