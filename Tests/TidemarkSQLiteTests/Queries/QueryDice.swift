import TestSupport

/// Random numbers, and random values of records. Half of the cases have four values only, so that records are equal in some
/// members and differ in others.
struct QueryDice: RandomNumberGenerator {
    /// Texts of values, many of which are equal, or nearly so, to others.
    private static let all =
        [
            "null", "false", "true", "0", "-0.0", "1", "1.0", "10e-1", "-1", "-2", "-10", "2", "0.1",
            "9007199254740992",
            "9007199254740993",
            "12345678901234567890", "1e400", "-1e400", "1E-400", "1.5", "-1.5", "1e101", "1e-101", "100",
            #""""#, #""a""#, #""A""#, #""ab""#, #""a\u0000""#, #""a\u0000b""#, #""\u00e9""#, #""e\u0301""#,
            #""\uD83D\uDE00""#,
            #""\uFFFD""#, #""1""#, #""true""#, #""\"\\""#,
            "[]", "[1]", "[1.0]", #"["a","a","b"]"#, #"[{"c":1}]"#, "{}", #"{"c":1,"c":2}"#, #"{"c":[null]}"#,
        ]
        + [510, 511, 512, 513].flatMap { count in ["x", "y"].map { "\"\(String(repeating: "x", count: count))\($0)\"" }
        }

    private var random: SeededGenerator
    private var values: [String]

    init(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self.values = random.oneIn(2) ? Self.all : (0..<4).map { _ in Self.all.randomElement(using: &random) ?? "1" }
        self.random = random
    }

    mutating func next() -> UInt64 { self.random.next() }

    /// True once in `count` times.
    mutating func oneIn(_ count: Int) -> Bool { self.random.oneIn(count) }

    /// One of the elements.
    mutating func pick<Element>(_ first: Element, _ others: Element...) -> Element {
        ([first] + others).randomElement(using: &self.random) ?? first
    }

    /// The text of a value.
    mutating func json() -> String { self.values.randomElement(using: &self.random) ?? "1" }
}
