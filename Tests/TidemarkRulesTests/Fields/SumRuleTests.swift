import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §4 sum") struct SumRuleTests {
    @Test(arguments: [
        ("5", "8", "6", "9"), ("5", "6", "6", "7"), ("0.1", "0.3", "0.2", "0.4"), ("1.10", "0", "2.2", "1.1"),
        ("12345678901234567890", "12345678901234567891", "12345678901234567900", "12345678901234567901"),
        ("10", "0", "4", "-6"), ("1e30", "1e30", "1e30", "1000000000000000000000000000000"),
    ])
    func `counter-delta: the local difference is added exactly to the server's value`(
        base: String, server: String, client: String, sum: String
    ) throws {
        let sides = try [base, server, client].map { try JSON(parsing: $0) }
        let merge = try merging(.sum, base: sides[0], server: sides[1], client: sides[2])
        #expect(merge.value == (try JSON(parsing: sum)))
        #expect(merge.clashes.isEmpty)
    }

    @Test func `counter-delta: equal differences are added twice, a missing base is zero (R12)`()
        throws
    {
        #expect(try merging(.sum, base: 5, server: 6, client: 6) == Merging(7))
        #expect(try merging(.sum, base: nil, server: 1, client: 1) == Merging(2))
    }

    @Test func `a sum with more digits than the limit keeps the client's value`() throws {
        let huge = try JSON(parsing: "1e999999999999")
        #expect(try merging(.sum, base: 1, server: huge, client: 2) == Merging(2, clashes: ["/f"]))
    }

    @Test func `a sum does not depend on the order of the devices`() throws {
        for seed in UInt64(1)...200 {
            var generator = SeededGenerator(seed: seed)
            let base = Self.decimal(&generator)
            let values = (0..<Int.random(in: 1...6, using: &generator)).map { _ in Self.decimal(&generator) }
            let sums = try (0..<3).map { _ in
                try values.shuffled(using: &generator).reduce(into: base) { server, client in
                    server = try #require(try merging(.sum, base: base, server: server, client: client).value)
                }
            }
            #expect(Set(sums).count == 1, "seed \(seed): \(base) and \(values)")
        }
    }

    /// A decimal of up to forty digits with a fraction; never equal to another by chance.
    private static func decimal(_ generator: inout SeededGenerator) -> JSON {
        let digits = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
            String(Int.random(in: 0...9, using: &generator))
        }
        let sign = Bool.random(using: &generator) ? "-" : ""
        let text = "\(sign)\(Int.random(in: 0...999, using: &generator)).\(digits.joined())e\(digits.count % 5)"
        return JSONNumber(text).map(JSON.number) ?? .null
    }
}
