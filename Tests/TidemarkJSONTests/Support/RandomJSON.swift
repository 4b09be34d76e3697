import TestSupport
import TidemarkJSON

/// Generates random JSON values: few keys, so that two values have common paths; numbers in unusual spellings; escapes
/// and characters that are canonically equivalent but not equal.
struct RandomJSON {
    /// The random generator; the same seed gives the same values.
    var random: SeededGenerator

    /// The maximum nesting depth.
    var depth = 4

    init(seed: UInt64) {
        self.random = SeededGenerator(seed: seed)
    }

    /// Any value.
    mutating func value() -> JSON {
        self.value(depth: self.depth)
    }

    /// An object, as a record's payload is.
    mutating func record() -> JSON {
        self.object(depth: self.depth)
    }

    /// A value that differs from the given one in a few places, or sometimes not at all.
    mutating func edited(_ value: JSON) -> JSON {
        var result = value
        for _ in 0..<Int.random(in: 0...3, using: &self.random) {
            result = self.editedOnce(result)
        }
        return result
    }

    private mutating func value(depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &self.random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &self.random))
        case 2, 3: .number(self.number())
        case 4, 5: .string(self.string())
        case 6: self.array(depth: depth)
        default: self.object(depth: depth)
        }
    }

    private mutating func array(depth: Int) -> JSON {
        .array((0..<Int.random(in: 0...3, using: &self.random)).map { _ in self.value(depth: depth - 1) })
    }

    private mutating func object(depth: Int) -> JSON {
        // Sometimes larger than the threshold for the index of an object.
        let count = self.random.oneIn(20) ? 40 : Int.random(in: 0...4, using: &self.random)
        var object = JSONObject()
        for place in 0..<count {
            let key = count > 4 ? "k\(place)" : self.key()
            object[key] = self.value(depth: count > 4 ? 0 : depth - 1)
        }
        return .object(object)
    }

    /// A key of a small alphabet.
    mutating func key() -> String {
        self.random.pick("a", "b", "c", "", "a/b", "m~n", "é", "e\u{301}", "0", "ab")
    }

    /// A string, sometimes with needless escapes in its source.
    mutating func string() -> JSONString {
        var source = ""
        for _ in 0..<Int.random(in: 0...4, using: &self.random) {
            source += self.random.pick(
                "a", "b", " ", "é", "e\u{301}", "\u{1D11E}", "日本", #"\n"#, #"\""#, #"\\"#, #"\/"#, #"\u00e9"#,
                #"\uD834\uDD1E"#, #"\u0000"#, "\u{7F}", "\u{2028}", "//", "/*")
        }
        return JSONString(source: source) ?? "not well-formed: the generator is wrong"
    }

    /// A number, sometimes huge, sometimes another spelling of a common one.
    mutating func number() -> JSONNumber {
        let text =
            self.random.oneIn(3)
            ? self.random.pick(
                "1", "1.0", "10e-1", "0.1E+1", "-0", "0", "0.0e5", "12345678901234567890", "1.10", "1e400", "1E-400",
                "1e999999999999999999999", "-1", "100e-2", "0.30000000000000004")
            : self.spelledNumber()
        return JSONNumber(text) ?? JSONNumber(-999_999)
    }

    private mutating func spelledNumber() -> String {
        var text = Bool.random(using: &self.random) ? "-" : ""
        text += String(Int.random(in: 0...self.random.pick(3, 99, 1_000_000), using: &self.random))
        if self.random.oneIn(3) {
            text += "." + self.digits()
        }
        if self.random.oneIn(3) {
            text += self.random.pick("e", "E") + self.random.pick("", "+", "-") + self.digits()
        }
        return text
    }

    private mutating func digits() -> String {
        (0..<Int.random(in: 1...3, using: &self.random)).map { _ in self.random.pick("0", "0", "1", "5", "9") }.joined()
    }

    private mutating func editedOnce(_ value: JSON) -> JSON {
        switch value.byType {
        case .object(var object) where !self.random.oneIn(6):
            let known = object.keys.randomElement(using: &self.random)
            switch (Int.random(in: 0..<4, using: &self.random), known) {
            case (0, let key?): object[key] = nil
            case (1, let key?), (2, let key?): object[key] = object[key].map { self.editedOnce($0) }
            case (_, _): object[self.key()] = self.value(depth: 2)
            }
            return .object(object)
        case .array(var elements) where !self.random.oneIn(6):
            let place = Int.random(in: 0...elements.count, using: &self.random)
            if place < elements.count, Bool.random(using: &self.random) {
                elements.remove(at: place)
            } else {
                elements.insert(self.value(depth: 1), at: place)
            }
            return .array(elements)
        case .null, .bool, .number, .string, .array, .object:
            return self.value(depth: 2)
        }
    }
}
