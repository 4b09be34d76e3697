import Testing
import TidemarkJSON

@Suite struct `Sums of numbers are exact` {
    static let sums: [(String, String, String?)] = [
        ("0.1", "0.2", "0.3"), ("1", "-1", "0"), ("1.10", "0", "1.1"), ("-0", "0", "0"), ("9", "1", "10"),
        ("99.99", "0.01", "100"),
        ("12345678901234567890", "1", "12345678901234567891"), ("1e20", "1", "100000000000000000001"),
        ("-5", "3", "-2"),
        ("0.001", "-1", "-0.999"), ("1e-3", "1e3", "1000.001"), ("-0.5", "-0.5", "-1"), ("100", "-0.001", "99.999"),
        ("1e999999999999999999999", "1", nil), ("1e-5000", "1", nil), ("1e5000", "0", nil), ("0e5000", "7", "7"),
        ("-1e3", "1", "-999"),
    ]

    @Test(arguments: Self.sums)
    func `a sum has every digit, or is nil`(_ left: String, _ right: String, _ expected: String?) throws {
        let left = try #require(JSONNumber(left))
        let right = try #require(JSONNumber(right))
        #expect(left.adding(right)?.text == expected)
        #expect(right.adding(left)?.text == expected)
    }

    @Test func `a sum with more digits than the limit is nil`() throws {
        let large = try #require(JSONNumber("1e9"))
        #expect(large.adding(JSONNumber(1), digits: 10)?.text == "1000000001")
        #expect(large.adding(JSONNumber(1), digits: 9) == nil)
        let fraction = try #require(JSONNumber("0.001"))
        #expect(fraction.adding(JSONNumber(1), digits: 4)?.text == "1.001")
        #expect(fraction.adding(JSONNumber(1), digits: 3) == nil)
        #expect(JSONNumber(999).adding(JSONNumber(1), digits: 4)?.text == "1000")
        #expect(JSONNumber(999).adding(JSONNumber(1), digits: 3) == nil)
        // Only the sum needs more digits than the limit allows.
        let hundredth = try #require(JSONNumber("0.01"))
        #expect(JSONNumber(100).adding(hundredth, digits: 5)?.text == "100.01")
        #expect(JSONNumber(100).adding(hundredth, digits: 4) == nil)
    }

    @Test func `a sum is that of a naive decimal, and subtracting undoes adding`() {
        forAll(cases: 3_000) {
            Pair(first: JSON.number($0.smallNumber()), second: JSON.number($0.smallNumber()))
        } holds: {
            guard let left = $0.first.number, let right = $0.second.number else { return nil }
            guard let sum = left.adding(right), JSONNumber(sum.text) != nil else { return "no sum" }
            let (exactLeft, exactRight) = NaiveDecimal.aligned(left.text, right.text)
            guard NaiveDecimal.aligned(sum.text, "0").0 == exactLeft + exactRight else { return "got \(sum)" }
            guard sum.subtracting(right) == left else { return "subtracting" }
            return nil
        }
    }
}
