/// SHA-256 (FIPS 180-4), for names that must not reveal their input.
enum SHA256 {
    /// The digest of `bytes` as 64 hexadecimal digits.
    static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for byte in Self.digest(bytes) {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        let message = Self.padded(bytes)
        var words = [UInt32](repeating: 0, count: 64)
        var digest: [UInt8] = []
        digest.reserveCapacity(32)
        for start in stride(from: 0, to: message.count, by: 64) {
            Self.spread(message, from: start, over: &words)
            Self.compress(words, into: &state)
        }
        for word in state { Self.append(word, to: &digest) }
        return digest
    }

    private static func padded(_ bytes: [UInt8]) -> [UInt8] {
        let zeros = (119 - bytes.count % 64) % 64
        let length = UInt64(bytes.count) * 8
        var message: [UInt8] = []
        message.reserveCapacity(bytes.count + 9 + zeros)
        message += bytes
        message.append(0x80)
        for _ in 0..<zeros { message.append(0) }
        Self.append(length, to: &message)
        return message
    }

    private static func spread(_ message: [UInt8], from start: Int, over words: inout [UInt32]) {
        for index in 0..<16 {
            let place = start + index * 4
            words[index] =
                UInt32(message[place]) << 24 | UInt32(message[place + 1]) << 16 | UInt32(message[place + 2]) << 8
                | UInt32(message[place + 3])
        }
        for index in 16..<64 {
            let near = words[index - 15]
            let far = words[index - 2]
            let first = Self.turn(near, 7) ^ Self.turn(near, 18) ^ near >> 3
            let second = Self.turn(far, 17) ^ Self.turn(far, 19) ^ far >> 10
            words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
        }
    }

    private static func compress(_ words: [UInt32], into state: inout [UInt32]) {
        // Eight variables instead of an array: each request runs this, and each round would allocate an array.
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let choice = e & f ^ ~e & g
            let majority = a & b ^ a & c ^ b & c
            let turned = Self.turn(e, 6) ^ Self.turn(e, 11) ^ Self.turn(e, 25)
            let first = h &+ turned &+ choice &+ Self.constants[index] &+ words[index]
            let second = (Self.turn(a, 2) ^ Self.turn(a, 13) ^ Self.turn(a, 22)) &+ majority
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    private static func turn(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
