import Testing
import TidemarkJSON

@Suite("Writing JSON as bytes")
struct JSONWriterTests {
    private static func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(arguments: [0, 1, -1, 9, 10, 1_763_000_000_000_000, .max, .min] as [Int64])
    func `a whole number is written as Swift writes it`(number: Int64) {
        #expect(Self.text { $0.member("n", number) } == #""n":\#(number)"#)
        #expect(Self.text { $0.piece(number) } == "\(number)")
    }

    @Test(arguments: ["", "plain", #"a "quote""#, #"back\slash"#, "line\nend", "\u{0}\u{1F}", "é ß 漢 🙂", "\u{7F}"])
    func `a string is written as the value writes it, with or without escapes`(text: String) {
        let whole = JSON.string(JSONString(text)).text
        #expect(Self.text { $0.string(text) } == whole)
        let piece = Self.text { writer in
            Array(text.utf8).withUnsafeBufferPointer { unsafe writer.piece(utf8: $0.span) }
        }
        #expect(piece == whole)
    }

    @Test func `values that are written in pieces get their commas`() {
        let text = Self.text { writer in
            writer.array { list in
                for number in 1...2 {
                    list.begin(with: "{")
                    list.piece(json: #""n":"#)
                    list.piece(Int64(number))
                    Array(#","m":null"#.utf8).withUnsafeBufferPointer { unsafe list.piece(json: $0.span) }
                    list.piece(json: "}")
                }
                list.string("end")
            }
        }
        #expect(text == #"[{"n":1,"m":null},{"n":2,"m":null},"end"]"#)
    }

    @Test func `empty bytes are written as null for a member, and not at all for a value`() {
        #expect(Self.text { $0.member("n", json: [UInt8]()) } == #""n":null"#)
        #expect(Self.text { $0.member("yes", true) } == #""yes":true"#)
        #expect(Self.text { $0.json([UInt8]()) }.isEmpty)
    }
}
