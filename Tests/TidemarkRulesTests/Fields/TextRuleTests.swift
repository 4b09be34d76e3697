import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §4 text") struct TextRuleTests {
    @Test(arguments: [
        ("a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"),
        ("the quick fox", "the slow fox", "the quick dog", "the slow dog"),
        ("a", "a\nserver", "a\nclient", "a\nserver\nclient"),
        ("one two", "one two three", "one two four", "one two three four"),
        ("a\nb\nc", "a\nc", "a\nb\nc\nd", "a\nc\nd"),
        ("a b\n", "x b\n", "a y\n", "x y\n"), ("a\r\nb\r\n", "A\r\nb\r\n", "a\r\nB\r\n", "A\r\nB\r\n"),
        ("Milk", "Milk", "Oat milk", "Oat milk"), ("a\nb", "x\nb", "x\nb\nc", "x\nb\nc"),
        ("a. b.", "a! b.", "a. b?", "a! b?"),
    ])
    func `text is merged by line, then by word`(base: String, server: String, client: String, merged: String) throws {
        let merge = try self.merge(base, server, client)
        #expect(merge == Merging(.string(JSONString(merged))))
    }

    @Test(arguments: [
        // Han, Hiragana and Katakana, Thai with a mark above its consonant, Lao, Khmer, Myanmar, an ideograph of plane 2.
        ("明天三点在图书馆", "明天四点在图书馆", "明天三点在图书馆和家", "明天四点在图书馆和家"),
        ("あしたカフェで", "あさってカフェで", "あしたカフェでまつ", "あさってカフェでまつ"),
        ("พรุ่งนี้บ่าย", "วันพรุ่งนี้บ่าย", "พรุ่งนี้บ่ายโมง", "วันพรุ่งนี้บ่ายโมง"),
        ("ມື້ນີ້", "ມື້ອື່ນ", "ມື້ນີ້", "ມື້ອື່ນ"), ("ថ្ងៃនេះ", "ថ្ងៃនេះ", "ថ្ងៃនេះល្អ", "ថ្ងៃនេះល្អ"),
        ("ဒီနေ့လာ", "ဒီနေ့လာမယ်", "ဒီနေ့လာ", "ဒီနေ့လာမယ်"), ("𠮷野家へ", "𠮷野家に", "昨日𠮷野家へ", "昨日𠮷野家に"),
        // Latin words between them stay words.
        ("用Swift写", "用Swift读", "用Rust写", "用Rust读"),
    ])
    func `in a script without blanks between words each character is one`(
        base: String, server: String, client: String, merged: String
    ) throws {
        #expect(try self.merge(base, server, client) == Merging(.string(JSONString(merged))))
    }

    @Test func `a mark stays with the character that it marks`() throws {
        // Both sides changed the mark of the same character: か, が, and か with the mark of は゜.
        let merge = try self.merge("か", "か\u{3099}", "か\u{309A}")
        #expect(merge == Merging("か\u{309A}", clashes: ["/f"]))
    }

    @Test(arguments: [
        ("Milk", "Oat-milk", "Soymilk", "Soymilk"), ("the quick fox", "the slow fox", "the fast fox", "the fast fox"),
        ("a b c", "x b S", "y b c", "y b S"), ("one\ntwo", "one", "one\ntwo!", "one\ntwo!"), ("", "foo", "bar", "bar"),
        ("caf", "caf\u{E9}", "cafe\u{301}", "cafe\u{301}"),
        // An insertion next to the other side's replacement would form one word with it.
        (" b", "new", "mine b", "mine b"), ("b ", "new", "b mine", "b mine"),
    ])
    func `words that both sides rewrote keep the client's text and are a clash`(
        base: String, server: String, client: String, merged: String
    ) throws {
        let merge = try self.merge(base, server, client)
        #expect(merge == Merging(.string(JSONString(merged)), clashes: ["/f"]))
    }

    @Test func `text that both sides add to a base without one is a clash`() throws {
        #expect(try merging(.text, base: nil, server: "a", client: "b") == Merging("b", clashes: ["/f"]))
    }

    private func merge(_ base: String, _ server: String, _ client: String) throws -> Merging {
        try merging(
            .text, base: .string(JSONString(base)), server: .string(JSONString(server)),
            client: .string(JSONString(client)))
    }

    /// Merges the numbers of a fork as the lines or the words of a text.
    private func outcome(_ fork: Fork, by separator: String) throws -> Merging {
        func text(_ numbers: [Int]) -> String { numbers.map { "w\($0)" }.joined(separator: separator) }
        return try self.merge(text(fork.base), text(fork.server), text(fork.client))
    }

    @Test(arguments: ["\n", " "])
    func `disjoint changes of a text merge to the same in both orders, without a clash`(separator: String) throws {
        try Fork.all(Fork.apart) { fork in
            let merged = try self.outcome(fork, by: separator)
            return try merged.clashes.isEmpty && self.outcome(fork.swapped, by: separator) == merged
        }
    }

    @Test(arguments: ["\n", " "])
    func `disjoint insertions into a text are all kept`(separator: String) throws {
        try Fork.all(Fork.apart) { fork in
            let text = try self.outcome(fork, by: separator).value?.string ?? ""
            let words = Set(text.split { $0.isWhitespace }.map(String.init))
            return Set(fork.server + fork.client).subtracting(fork.base).allSatisfy { words.contains("w\($0)") }
        }
    }

    @Test(arguments: ["\n", " "])
    func `a text without a clash has every inserted line and word`(separator: String) throws {
        try Fork.all(Fork.anywhere) { fork in
            let merge = try self.outcome(fork, by: separator)
            let words = Set((merge.value?.string ?? "").split { $0.isWhitespace }.map(String.init))
            let added = Set(fork.server + fork.client).subtracting(fork.base)
            return !merge.clashes.isEmpty || added.allSatisfy { words.contains("w\($0)") }
        }
    }

    @Test func `a merge of a merged text changes nothing`() throws {
        try Fork.all(Fork.apart) { fork in
            func text(_ numbers: [Int]) -> String { numbers.map { "w\($0)" }.joined(separator: "\n") }
            let merged = try self.outcome(fork, by: "\n")
            let (base, server, client) = (text(fork.base), text(fork.server), text(fork.client))
            let again = try self.merge(base, try #require(merged.value?.string), client)
            let back = try self.merge(base, server, try #require(merged.value?.string))
            return again == merged && back == merged
        }
    }
}
