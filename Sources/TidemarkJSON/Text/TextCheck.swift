/// Describes mistakes in the size and the encoding of a text that was refused, and white space that JSON does not have.
package enum TextCheck {
    /// Throws the first mistake.
    package static func check(_ input: UnsafeBufferPointer<UInt8>, limits: JSON.Limits) throws(JSONError) {
        guard input.count <= limits.bytes else {
            throw JSONError(
                .tooLarge,
                "the text has \(input.count) bytes and the limit is \(limits.bytes); send it in smaller parts"
                    + " or raise JSON.Limits.bytes")
        }
        if unsafe input.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw unsafe JSONError(
                .encoding, "the text starts with a byte order mark; save it as UTF-8 without one", at: 0, of: input)
        }
        guard let offset = unsafe self.firstWrongByte(input) else { return }
        if unsafe input[offset] < 0x80 {
            throw unsafe FaultFinder.firstFault(in: Array(input))
                ?? JSONError(.syntax, FaultFinder.control(input[offset]), at: offset, of: input)
        }
        let message =
            unsafe self.looksLikeUTF16(input)
            ? "the text looks like UTF-16; JSON is sent as UTF-8, so convert it"
            : "this byte (0x\(String(input[offset], radix: 16, uppercase: true))) is not valid UTF-8 here; save the text as UTF-8"
        throw unsafe JSONError(.encoding, message, at: offset, of: input)
    }

    /// The first mistake in the encoding of a text, if it has one.
    package static func encodingFault(in text: [UInt8]) -> JSONError? {
        unsafe text.withUnsafeBufferPointer { input -> JSONError? in
            do throws(JSONError) {
                try unsafe self.check(input, limits: JSON.Limits(bytes: .max))
                return nil
            } catch {
                return error.code == .encoding ? error : nil
            }
        }
    }

    /// The first byte that is not UTF-8 (RFC 3629), or is one of the two control characters that look like space.
    private static func firstWrongByte(_ input: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let base = unsafe UnsafeRawPointer(input.baseAddress) else { return nil }
        let count = input.count
        var offset = 0
        while offset < count {
            while offset &+ 8 <= count {
                let word = unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                let controls = (word &- 0x2020_2020_2020_2020) & ~word
                guard (word | controls) & 0x8080_8080_8080_8080 == 0 else { break }
                offset &+= 8
            }
            // A few bytes one by one: the rest of the text, a line end, or a character beyond ASCII.
            let stop = min(offset &+ 8, count)
            while offset < stop {
                let byte = unsafe base.load(fromByteOffset: offset, as: UInt8.self)
                if byte < 0x80 {
                    if byte == 0x0B || byte == 0x0C {
                        return offset
                    }
                    offset &+= 1
                } else {
                    let length = unsafe self.sequenceLength(input, at: offset)
                    guard length > 0 else { return offset }
                    offset &+= length
                }
            }
        }
        return nil
    }

    /// The length of a well-formed sequence of two to four bytes (Unicode, table 3-7), or 0.
    private static func sequenceLength(_ input: UnsafeBufferPointer<UInt8>, at offset: Int) -> Int {
        let lead = unsafe input[offset]
        let length: Int
        let second: ClosedRange<UInt8>
        switch lead {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return 0
        }
        guard offset + length <= input.count, unsafe second.contains(input[offset + 1]) else { return 0 }
        for place in 2..<max(length, 2) {
            guard unsafe input[offset + place] & 0xC0 == 0x80 else { return 0 }
        }
        return length
    }

    private static func looksLikeUTF16(_ input: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe input.starts(with: [0xFF, 0xFE]) || input.starts(with: [0xFE, 0xFF]) || input.prefix(2).contains(0)
    }
}
