/// The words that users write in a simulation, `v1`, `v2`, …. Each word is written once, so a check finds its author and its
/// place after any merge.
package enum SimulatedWords {
    /// The words in the bytes of a record, a patch or an edit.
    package static func found(in bytes: [UInt8]?) -> Set<Int> {
        guard let bytes else { return [] }
        var words: Set<Int> = []
        var index = 0
        while index < bytes.count {
            defer { index += 1 }
            guard bytes[index] == UInt8(ascii: "v"), index == 0 || !Self.isOfWord(bytes[index - 1]) else { continue }
            var end = index + 1
            var number = 0
            while end < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[end]) {
                number = number * 10 + Int(bytes[end] - UInt8(ascii: "0"))
                end += 1
            }
            if end > index + 1 { words.insert(number) }
        }
        return words
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// The words as text, for messages.
    package static func text(_ words: some Sequence<Int>) -> String {
        words.sorted().map { "v\($0)" }.joined(separator: ", ")
    }
}
