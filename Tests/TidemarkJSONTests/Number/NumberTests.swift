import TestSupport
import Testing
import TidemarkJSON

@Suite struct `Numbers keep their text and are compared exactly (Contract §4)` {
    static let spellings = [
        "12345678901234567890", "1.10", "1e400", "-0", "1E+2", "0.000", "1e999999999999999999999", "-1.50e-03",
    ]

    @Test(arguments: Self.spellings)
    func `a number survives parse, edit and write unharmed`(_ text: String) throws {
        var value = try JSON(parsing: #"{"n":\#(text),"title":"a"}"#)
        value.title = "b"
        value["n2"] = value["n"]
        #expect(value.text == #"{"n":\#(text),"title":"b","n2":\#(text)}"#)
    }

    static let equal: [(String, String)] = [
        ("1.0", "1"), ("1", "10e-1"), ("1.10", "1.1"), ("-0", "0"), ("0e999999999999999999999", "-0.000"),
        ("1E+2", "100"),
        ("100e-2", "0.01e2"), ("1e400", "10e399"), ("1e400", "0.1E401"),
        ("12345678901234567890", "1234567890123456789e1"),
        ("1e999999999999999999999", "10e999999999999999999998"),
        ("1e-999999999999999999999", "0.1e-999999999999999999998"),
        ("1e1000000000000000000000", "0.001e1000000000000000000003"), ("1e00000000000000000000000000000002", "100"),
        ("-1e-0", "-1"), ("0.00120", "12e-4"), ("9e9223372036854775807", "0.9e9223372036854775808"),
        ("5e-9223372036854775809", "50e-9223372036854775810"), ("1e-0000000000000000000000", "1"),
        ("99999999999999999", "9999999999999999.9e1"), ("999999999999999999", "99999999999999999.9e1"),
        ("-999999999999999999", "-999999999999999999.0"), ("1000000000000000000", "1e18"),
        ("9223372036854775807", "9223372036854775807.0"), ("-9223372036854775808", "-92233720368547758.08e2"),
        ("1e999999999999999999", "10e999999999999999998"), ("1e1000000000000000000", "0.1e1000000000000000001"),
        ("1e-1000000000000000000", "10e-1000000000000000001"), ("1e999999999999999999", "0.1e1000000000000000000"),
    ]

    @Test(arguments: Self.equal)
    func `equal decimal values are equal, and hash alike`(_ left: String, _ right: String) throws {
        let left = try #require(JSONNumber(left))
        let right = try #require(JSONNumber(right))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(!(left < right) && !(right < left))
    }

    static let ascending: [(String, String)] = [
        ("1e400", "1e401"), ("0.1", "0.10000000000000000000000000000000000001"), ("-1", "0"), ("0", "1e-400"),
        ("-1e-400", "-0"),
        ("9007199254740992", "9007199254740993"), ("-2", "-1"), ("9", "10"), ("1e-999999999999999999999", "1"),
        ("-1e999999999999999999999", "1e-999999999999999999999"),
        ("1e999999999999999999998", "1e999999999999999999999"),
        ("-1e999999999999999999999", "-1e999999999999999999998"), ("99e18", "1e20"), ("1.5", "1.50000001"),
        ("-1.51", "-1.5"),
        ("1e-1000000000000000000001", "1e-1000000000000000000000"), ("12345678901234567890", "12345678901234567891"),
        ("999999999999999999", "1000000000000000000"), ("-1000000000000000000", "-999999999999999999"),
        ("999999999999999998.5", "999999999999999999"), ("99999999999999999", "100000000000000000"),
        ("1e999999999999999999", "1e1000000000000000000"), ("1e-1000000000000000000", "1e-999999999999999999"),
        ("-1e1000000000000000000", "-1e999999999999999999"), ("1e-1000000000000000000", "1e999999999999999999"),
    ]

    @Test(arguments: Self.ascending)
    func `different decimal values are different, and in order`(_ smaller: String, _ larger: String) throws {
        let smaller = try #require(JSONNumber(smaller))
        let larger = try #require(JSONNumber(larger))
        #expect(smaller != larger)
        #expect(smaller < larger)
        #expect(!(larger < smaller))
    }

    @Test func `numbers compare as a naive decimal does`() {
        forAll(cases: 5_000) {
            Pair(first: JSON.number($0.smallNumber()), second: JSON.number($0.smallNumber()))
        } holds: {
            guard let left = $0.first.number, let right = $0.second.number else { return nil }
            let (exactLeft, exactRight) = NaiveDecimal.aligned(left.text, right.text)
            guard (left == right) == (exactLeft == exactRight) else { return "equality" }
            guard (left < right) == (exactLeft < exactRight) else { return "order" }
            guard left != right || left.hashValue == right.hashValue else { return "hash" }
            return nil
        }
    }

    @Test(arguments: [
        "", "+1", "01", "1.", ".5", "1e", "1e+", "-", "NaN", "0x1", " 1", "1 ", "1,0", "١", "--1", "1.2.3", "1e1.0",
    ])
    func `a text that is not a number is refused`(_ text: String) {
        #expect(JSONNumber(text) == nil)
    }

    static let whole: [(String, Int?)] = [
        ("1", 1), ("1.0", 1), ("1e2", 100), ("100e-2", 1), ("1.5", nil), ("-0", 0), ("9223372036854775807", .max),
        ("-9223372036854775808", .min), ("9223372036854775808", nil), ("-9223372036854775809", nil),
        ("9.223372036854775807e18", .max),
        ("-9223372036854775808.0", .min), ("9223372036854775808.0", nil), ("1e999999999999999999999", nil),
        ("0e999999999999999999999", 0),
        ("1e-1", nil), ("1e64", nil),
    ]

    @Test(arguments: Self.whole)
    func `a whole number in any spelling is an Int if it fits`(_ text: String, _ expected: Int?) throws {
        #expect(try JSON(parsing: text).int == expected)
    }

    @Test func `a whole number fits any integer type exactly or not at all`() throws {
        let number = try #require(JSONNumber("1.8446744073709551615e19"))
        #expect(number.integer(UInt64.self) == .max)
        #expect(number.integer(Int64.self) == nil)
        #expect(JSONNumber(-1).integer(UInt8.self) == nil)
        #expect(JSONNumber("-128.0")?.integer(Int8.self) == -128)
        #expect(JSONNumber("-129.0")?.integer(Int8.self) == nil)
        #expect(JSONNumber("255.0")?.integer(UInt8.self) == 255)
    }

    @Test func `the double of a number is the nearest one, or nil beyond the range`() throws {
        #expect(try JSON(parsing: "0.30000000000000004").double == 0.1 + 0.2)
        #expect(try JSON(parsing: "1e400").double == nil)
        #expect(try JSON(parsing: "1e-400").double == 0)
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(-Double.infinity) == nil)
        #expect(JSONNumber(1.0)?.text == "1")
        #expect(JSONNumber(0.1)?.text == "0.1")
        #expect(JSONNumber(-0.0)?.text == "0")
    }
}

/// Digits without a point, as text: slow, simple and easy to verify.
enum NaiveDecimal {
    /// Two numbers with small exponents as whole numbers of the same power of ten.
    static func aligned(_ left: String, _ right: String) -> (Int128, Int128) {
        (self.scaled(left), self.scaled(right))
    }

    /// The number times 10^12.
    private static func scaled(_ text: String) -> Int128 {
        let parts = text.lowercased().split(separator: "e")
        let mantissa = parts[0].split(separator: ".")
        let fraction = mantissa.count > 1 ? String(mantissa[1]) : ""
        var value = Int128(String(mantissa[0]) + fraction) ?? 0
        let power = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) - fraction.count + 12
        for _ in 0..<power {
            value *= 10
        }
        return value
    }
}

extension RandomJSON {
    /// A number with few digits and a small exponent, so that equal values are common.
    mutating func smallNumber() -> JSONNumber {
        var text = self.random.pick("", "-") + self.random.pick("0", "1", "10", "100", "12", "1000")
        if self.random.oneIn(2) {
            text += "." + self.random.pick("0", "00", "1", "10", "01", "010", "2")
        }
        if self.random.oneIn(2) {
            text += self.random.pick("e", "E") + self.random.pick("0", "1", "+1", "-1", "-2", "+02", "3", "-03")
        }
        return JSONNumber(text) ?? JSONNumber(-999_999)
    }
}
