/// The scripts that are written without blanks between words: a sentence would be one word.
///
/// These are the scripts for which word boundaries need a dictionary: those of the line breaking class SA of UAX #14 (Unicode
/// 16.0), and Han, Hiragana and Katakana, which UAX #29 §4 names with them. The ranges are the blocks of Blocks.txt that are in
/// use for one of these scripts, and the ideographs among the symbols of U+3000 to U+303F.
enum UnspacedScripts {
    /// The first and the last code point of each range, in order.
    private static let ranges: [ClosedRange<UInt32>] = [
        0x0E00...0x0E7F,  // Thai
        0x0E80...0x0EFF,  // Lao
        0x1000...0x109F,  // Myanmar
        0x1780...0x17FF,  // Khmer
        0x1950...0x197F,  // Tai Le
        0x1980...0x19DF,  // New Tai Lue
        0x19E0...0x19FF,  // Khmer Symbols
        0x1A20...0x1AAF,  // Tai Tham
        0x2E80...0x2FDF,  // CJK Radicals Supplement, Kangxi Radicals
        0x3005...0x3007,  // ideographic iteration mark, closing mark, number zero
        0x3021...0x3029,  // Hangzhou numerals
        0x3031...0x3035,  // vertical kana repeat marks
        0x3038...0x303C,  // Hangzhou numerals, vertical iteration mark, masu mark
        0x3040...0x309F,  // Hiragana
        0x30A0...0x30FF,  // Katakana
        0x31F0...0x31FF,  // Katakana Phonetic Extensions
        0x3400...0x4DBF,  // CJK Unified Ideographs Extension A
        0x4E00...0x9FFF,  // CJK Unified Ideographs
        0xA9E0...0xA9FF,  // Myanmar Extended-B
        0xAA60...0xAA7F,  // Myanmar Extended-A
        0xAA80...0xAADF,  // Tai Viet
        0xF900...0xFAFF,  // CJK Compatibility Ideographs
        0xFF66...0xFF9F,  // Halfwidth Katakana
        0x116D0...0x116FF,  // Myanmar Extended-C
        0x11700...0x1174F,  // Ahom
        0x1AFF0...0x1AFFF,  // Kana Extended-B
        0x1B000...0x1B16F,  // Kana Supplement, Kana Extended-A, Small Kana Extension
        0x20000...0x3FFFF,  // the Supplementary and the Tertiary Ideographic Plane
    ]

    /// Whether a character is of one of these scripts; its first code point decides, and marks follow it.
    static func contain(_ character: Character) -> Bool {
        guard let code = character.unicodeScalars.first?.value, let first = self.ranges.first, code >= first.lowerBound
        else { return false }
        var (low, high) = (0, self.ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if self.ranges[middle].upperBound < code { low = middle + 1 } else { high = middle }
        }
        return low < self.ranges.count && self.ranges[low].contains(code)
    }
}
