import Testing
import TidemarkJSON
import TidemarkJSONStream

@Suite struct `A text in pieces is checked as strictly as a whole one` {
    /// Texts that are no JSON value, and are a sequence of values.
    private static let sequences: Set<String> = [
        "array: \"\"", "structure: \"\"", "structure: \" \"", "structure: \"\\n\\t \"", "structure: \"[][]\"",
        "structure: \"1 2\"", "structure: \"null null\"", "structure: \"{\\\"a\\\":1}{\\\"b\\\":2}\"",
        "structure: \"{\\\"a\\\": true} \\\"x\\\"\"",
    ]

    private static let chunks = [1, 2, 3, 7, Int.max]

    @Test(arguments: StrictCases.accepted)
    func `The reader accepts every JSON text, in chunks of any size`(_ entry: StrictCases.Entry) throws {
        let value = try JSON(parsing: entry.bytes)
        let inArray = [UInt8(ascii: "[")] + entry.bytes + Array(", 0]".utf8)
        let inMember = Array(#"{"x":[-0,{"a":[1]}],"e":["#.utf8) + entry.bytes + Array(#"],"y":"\u0000"}"#.utf8)
        let member = JSONStreamContent.array(at: try JSONPointer(parsing: "/e"))
        let inObject = Array(#"{"x":{"e":1},"e" : {"\u00e9" :"#.utf8) + entry.bytes + Array(#" , "":0},"y":{}}"#.utf8)
        let members = JSONStreamContent.members(at: try JSONPointer(parsing: "/e"))
        for chunk in Self.chunks {
            #expect(StreamResult(entry.bytes, .nothing, chunk: chunk).error == nil)
            for (bytes, content) in [
                (entry.bytes, JSONStreamContent.values), (inArray, .automatic), (inMember, member), (inObject, members),
            ] {
                let result = StreamResult(bytes, content, chunk: chunk)
                #expect(result.error == nil)
                let element = try #require(result.elements.first)
                #expect(element.value.bytes == value.bytes)
                #expect(
                    result.elements.map(\.key) == (bytes == inObject ? ["é", ""] : result.elements.map { _ in nil }))
                // The text is the one in the file, without the space around it.
                #expect(try JSON(parsing: element.text).bytes == value.bytes)
                #expect(Array(bytes[element.byteOffset...].prefix(element.text.count)) == Array(element.text))
                #expect(!entry.bytes.isEmpty && element.text.first.map { $0 > 0x20 } == true)
            }
        }
    }

    @Test(arguments: StrictCases.rejected)
    func `The reader refuses every text that is not JSON, with the same error as the parser`(
        _ entry: StrictCases.Entry
    ) throws {
        let expected = try #require(throws: JSONError.self) { try JSON(parsing: entry.bytes) }
        #expect(StreamResult(entry.bytes, .nothing).error == expected)
        for chunk in Self.chunks where entry.bytes.count < 1_000 {
            let error = try #require(StreamResult(entry.bytes, .nothing, chunk: chunk).error)
            #expect(error.code == expected.code && error.byteOffset == expected.byteOffset, "\(error), \(expected)")
            #expect(error.line == expected.line && error.column == expected.column)
            let inSequence = StreamResult(entry.bytes, .values, chunk: chunk).error
            #expect((inSequence == nil) == Self.sequences.contains(entry.name), "\(entry.bytes)")
        }
    }

    @Test(arguments: StrictCases.rejected)
    func `An error is at the same place in a line, an element and a member as alone`(_ entry: StrictCases.Entry) throws
    {
        // In an array, a text that ends too soon, has too many values or is a bracket has another error.
        let expected = try #require(throws: JSONError.self) { try JSON(parsing: entry.bytes) }
        let offset = try #require(expected.byteOffset)
        guard offset < entry.bytes.count, expected.code != .trailing, !entry.bytes.starts(with: [0xEF, 0xBB, 0xBF]),
            expected.code != .nesting, entry.bytes != Array("]".utf8)
        else { return }
        let isUTF16 = expected.message.contains("UTF-16")
        for start in ["[0,\n  ", "{\"k\":1}\n", "{\"a\":\n["] {
            let content =
                start.hasPrefix("{\"a") ? JSONStreamContent.array(at: try JSONPointer(parsing: "/a")) : .automatic
            for chunk in Self.chunks {
                let error = try #require(StreamResult(Array(start.utf8) + entry.bytes, content, chunk: chunk).error)
                guard !isUTF16, !Self.sequences.contains(entry.name) else { continue }
                #expect(error.byteOffset == start.utf8.count + offset, "\(entry.bytes): \(error), \(expected)")
            }
        }
    }
}
