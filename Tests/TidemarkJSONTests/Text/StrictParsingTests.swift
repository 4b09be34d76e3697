import TestSupport
import Testing
import TidemarkJSON
import TidemarkJSONStream

@Suite struct `The parser is strict (Contract §4, RFC 8259)` {
    @Test(arguments: StrictCases.accepted)
    func `the parser accepts every JSON text, and the value is written again`(_ entry: StrictCases.Entry) throws {
        let value = try JSON(parsing: entry.bytes)
        #expect(try JSON(parsing: value.bytes) == value)
        #expect(try JSON(parsing: value.prettyText) == value)
    }

    @Test(arguments: StrictCases.rejected)
    func `the parser refuses every text that is not JSON`(_ entry: StrictCases.Entry) throws {
        let error = try #require(throws: JSONError.self) { try JSON(parsing: entry.bytes) }
        let offset = try #require(error.byteOffset)
        #expect((0...entry.bytes.count).contains(offset))
        // A message names the remedy as well as the mistake.
        #expect(error.message.count > 20)
        #expect(error.description.hasPrefix("line "))
    }

    @Test(arguments: StrictCases.accepted)
    func `the parser reads a text the same with and without space around it`(_ entry: StrictCases.Entry) throws {
        // A lone scalar without space is read without yajl.
        let value = try JSON(parsing: entry.bytes)
        let spaced = try JSON(parsing: [0x20] + entry.bytes + [0x0A])
        #expect(spaced == value)
        #expect(spaced.bytes == value.bytes)
        let inner = value.array?.first
        #expect(try inner.map { try JSON(parsing: $0.bytes).bytes } == inner?.bytes)
    }

    @Test func `the parser refuses a truncated object, with the place of the cut`() throws {
        let text = Array(#"{"a":[1,"é\n",{"b":null}],"c":true}"#.utf8)
        for count in 0..<text.count {
            let error = try #require(throws: JSONError.self) { try JSON(parsing: text[..<count]) }
            // The error of a cut inside a character is at its first byte.
            let isInsideCharacter = count == text.firstIndex(of: 0xA9)
            #expect(error.byteOffset == (isInsideCharacter ? count - 1 : count))
        }
    }

    @Test
    func `the parser agrees with a second reader on texts with changed bytes`() {
        forAll(cases: 3_000) {
            Pair(first: $0.value(), second: JSON.number(JSONNumber(Int($0.random.next() >> 2))))
        } holds: {
            var bytes = $0.second.int?.isMultiple(of: 2) == true ? $0.first.bytes : Array($0.first.prettyText.utf8)
            var random = SeededGenerator(seed: UInt64($0.second.int ?? 0))
            for _ in 0..<6 {
                Mutation.apply(to: &bytes, &random)
                let piecewise = StreamResult(bytes, .nothing, chunk: 1 + bytes.count % 9).error
                do throws(JSONError) {
                    let parsed = try JSON(parsing: bytes)
                    guard FaultFinder.firstFault(in: bytes) == nil else { return "accepted what is wrong: \(bytes)" }
                    guard try JSON(parsing: parsed.bytes).bytes == parsed.bytes else {
                        return "written otherwise: \(bytes)"
                    }
                    guard piecewise == nil else { return "refused in pieces: \(bytes)" }
                } catch {
                    guard let piecewise else { return "accepted in pieces: \(bytes)" }
                    guard piecewise.byteOffset == error.byteOffset || error.code == .encoding else {
                        return "another place in pieces: \(bytes), \(piecewise)"
                    }
                    guard error.code != .tooLarge else { return "refused without a mistake: \(bytes)" }
                }
            }
            return nil
        }
    }
}

/// Small changes that make texts at the limits of the grammar.
private enum Mutation {
    private static let pieces: [[UInt8]] =
        [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud834", "\\udd1e", "-", "0", "1", ".", "e", "E", "+",
            "true", "nul", " ", "\n",
        ]
        .map { Array($0.utf8) } + [
            [0x0C], [0x0B], [0], [0x1F], [0xC3], [0xA9], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xEF, 0xBB, 0xBF], [0xFF],
        ]

    static func apply(to bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: place)
        case 1 where place < bytes.count: bytes[place] = Self.pieces.randomElement(using: &random)?.first ?? 0
        case 2 where place < bytes.count: bytes.remove(at: place)
        case _ where place < bytes.count: bytes.swapAt(place, Int.random(in: bytes.indices, using: &random))
        case _: bytes.append(contentsOf: Self.pieces.randomElement(using: &random) ?? [])
        }
    }
}
