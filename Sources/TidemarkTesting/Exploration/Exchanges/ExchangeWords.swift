/// What was typed is found again by its text: the record's letter, in capitals where another device typed it, a number, and a
/// mark where a server can't bear it.
enum ExchangeWords {
    /// The words in a text.
    static func found(in bytes: [UInt8]?) -> Set<String> {
        guard let bytes else { return [] }
        var words: Set<String> = []
        var start: Int?
        for (place, byte) in bytes.enumerated() {
            guard byte == UInt8(ascii: "\"") else { continue }
            if let start, start < place { Self.word(bytes[start..<place]).map { _ = words.insert($0) } }
            start = place + 1
        }
        return words
    }

    private static func word(_ text: ArraySlice<UInt8>) -> String? {
        guard let first = text.first, let second = text.dropFirst().first, text.count <= 4 else { return nil }
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20)
        guard isLetter, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}
