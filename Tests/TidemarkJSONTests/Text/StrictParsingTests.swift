import Testing
import TidemarkJSON

@Suite struct `The parser is strict (SPEC §4, RFC 8259)` {
    @Test(arguments: StrictCases.accepted)
    func `accepts, and writes again, what is JSON`(_ entry: StrictCases.Entry) throws {
        let value = try JSON(parsing: entry.bytes)
        #expect(try JSON(parsing: value.bytes) == value)
        #expect(try JSON(parsing: value.prettyText) == value)
    }

    @Test(arguments: StrictCases.rejected)
    func `refuses what is not`(_ entry: StrictCases.Entry) throws {
        let error = try #require(throws: JSONError.self) { try JSON(parsing: entry.bytes) }
        let offset = try #require(error.byteOffset)
        #expect((0...entry.bytes.count).contains(offset))
        // A message says what to do, not only that something is wrong.
        #expect(error.message.count > 20)
        #expect(error.description.hasPrefix("line "))
    }

    @Test func `refuses every proper beginning of an object, and points to where it was cut`() throws {
        let text = Array(#"{"a":[1,"é\n",{"b":null}],"c":true}"#.utf8)
        for count in 0..<text.count {
            let error = try #require(throws: JSONError.self) { try JSON(parsing: text[..<count]) }
            // A cut inside a character is a mistake of its first byte.
            let isInsideCharacter = count == text.firstIndex(of: 0xA9)
            #expect(error.byteOffset == (isInsideCharacter ? count - 1 : count))
        }
    }

    @Test func `never crashes on a text with one byte changed, and what it accepts it writes again`() {
        forAll(cases: 3_000) {
            $0.value()
        } holds: { value in
            var bytes = value.bytes
            var random = SplitMix64(seed: UInt64(bytes.count))
            for _ in 0..<5 {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
                guard let parsed = try? JSON(parsing: bytes) else { continue }
                guard try JSON(parsing: parsed.bytes) == parsed else { return "\(bytes)" }
            }
            return nil
        }
    }
}
