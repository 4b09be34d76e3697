import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkRules

@Suite struct `The keys of an index` {
    /// The order of types, and of values that are easily mistaken for each other.
    private static let ordered: [String?] = [
        nil, "null", "false", "true", "-1e99999999999999999999", "-1e400", "-12345678901234567891",
        "-12345678901234567890",
        "-10", "-9.99", "-1.5", "-1", "-0.1", "-1e-400", "0", "1e-99999999999999999999", "1e-400", "0.0999", "0.1",
        "0.10000000000000000001", "1", "1.5", "9", "9.99", "10", "11", "99", "100", "9007199254740992",
        "9007199254740993",
        "1e100", "1e101", "1e102", "1.1e102", "1e400", "1e99999999999999999999", #""""#, #""\u0000""#,
        #""\u0000\u0000""#,
        #""\u0000a""#, #""\u0001""#, #""a""#, #""a\u0000""#, #""a\u0000b""#, #""ab""#, #""b""#, #""e\u0301""#, #""é""#,
        #""ÿ""#, #""\uFFFF""#, #""😀""#, "[]", "{}",
    ]

    @Test func `keys have the order of their values, and none is the beginning of another`() throws {
        let keys = try Self.ordered.map { text in QueryKey.of(try text.map { try JSON(parsing: $0) }) }
        for (left, right) in zip(keys, keys.dropFirst()) { #expect(left.lexicographicallyPrecedes(right)) }
        for (place, key) in keys.enumerated() {
            #expect(keys.indices.allSatisfy { $0 == place || !keys[$0].starts(with: key) })
        }
    }

    @Test(arguments: [
        ["1", "1.0", "10e-1", "0.1e1", "1E0", "1000e-3"], ["0", "-0", "0.0", "-0e7"], [#""a""#, #""\u0061""#],
        ["-12e1", "-120", "-1.20e+2"], ["[]", "[1]"], ["{}", #"{"a":1}"#],
    ])
    func `equal values have equal keys`(texts: [String]) throws {
        let keys = try Set(texts.map { QueryKey.of(try JSON(parsing: $0)) })
        #expect(keys.count == 1)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `keys of numbers of any length compare as the numbers do`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let numbers = try (0..<60).map { _ in try JSON(parsing: Self.number(&random)) }
        for (place, left) in numbers.enumerated() {
            let key = QueryKey.of(left)
            for right in numbers[place...] {
                let (one, other) = (try #require(left.number), try #require(right.number))
                try Self.check(key, QueryKey.of(right), one < other, other < one, left, right)
            }
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `keys of texts of any length compare as the texts do`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let texts = (0..<60).map { _ in Self.text(&random) }
        for (place, one) in texts.enumerated() {
            for other in texts[place...] {
                let (left, right) = (CodePointString(one), CodePointString(other))
                try Self.check(
                    QueryKey.of(JSON(one)), QueryKey.of(JSON(other)), left < right, right < left, JSON(one), JSON(other)
                )
            }
        }
    }

    @Test func `the keys of an array are each element's once, in order`() throws {
        let keys = try IndexKeys([["/a", "/tags/*", "/b"]], of: "c")
        let content = try JSON(parsing: #"{"a":1,"b":2,"tags":["y","x","y",1.0,1]}"#)
        var list = KeyList()
        keys.write(keysOf: content, in: 0, to: &list)
        let written = (0..<list.count).map { Array(list.bytes[list[$0]]) }
        let expected = ["1", #""x""#, #""y""#].map { element in
            [1, try? JSON(parsing: element), 2].flatMap { QueryKey.of($0) }
        }
        #expect(written == expected)
        #expect(keys.keys(of: content, in: 0) == expected)
        #expect(keys.keys(of: nil, in: 0) == [QueryKey.missing + QueryKey.missing + QueryKey.missing])
    }

    // MARK: - Helpers

    private static func check(
        _ left: [UInt8], _ right: [UInt8], _ isLess: Bool, _ isGreater: Bool, _ one: JSON, _ other: JSON
    ) throws {
        let (precedes, follows) = (left.lexicographicallyPrecedes(right), right.lexicographicallyPrecedes(left))
        if QueryKey.isWhole(one), QueryKey.isWhole(other) {
            try #require(precedes == isLess && follows == isGreater, "\(one) and \(other)")
        } else {
            // A key that leaves a part out may equal that of another value, but is never on its wrong side.
            try #require(!(precedes && isGreater) && !(follows && isLess), "\(one) and \(other)")
        }
        try #require(left == right || !left.starts(with: right) && !right.starts(with: left), "\(one) and \(other)")
    }

    /// A number with few or many digits and a small, a large or an enormous exponent.
    private static func number(_ random: inout SeededGenerator) -> String {
        func digits(_ count: Int) -> String {
            String((0..<count).map { _ in ["0", "1", "9", "5"].randomElement(using: &random) ?? "0" })
        }
        var text = Bool.random(using: &random) ? "-" : ""
        text += ["0", "1", "9", "1\(digits(.random(in: 0...30, using: &random)))"].randomElement(using: &random) ?? "0"
        let counts = [0, 1, 2, 20, 509, 510, 511, 512, 600]
        let fraction = counts.randomElement(using: &random) ?? 0
        if fraction > 0 { text += ".\(digits(fraction))" }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text += "e\(Int.random(in: -110...110, using: &random))"
        case 1:
            let sign = Bool.random(using: &random) ? "-" : "+"
            text += "e\(sign)\(digits([3, 5, 19, 20, 21, 198, 199, 200, 201, 300].randomElement(using: &random) ?? 3))"
        default: break
        }
        return text
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let letters = ["\u{0}", "a", "b", "é", "\u{FF}", "\u{FFFF}", "😀"]
        let count = [0, 1, 2, 3, 125, 255, 256, 510, 511, 512, 513, 700].randomElement(using: &random) ?? 0
        let beginning = String(repeating: letters.randomElement(using: &random) ?? "a", count: count)
        let end = (0..<Int.random(in: 0...3, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" }
        return beginning + end.joined()
    }
}
