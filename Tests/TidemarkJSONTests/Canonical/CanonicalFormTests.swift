import TestSupport
import Testing
import TidemarkJSON

@Suite struct `The canonical form (RFC 8785)` {
    private func canonical(_ text: String) throws -> String {
        String(decoding: try JSON(parsing: text).canonicalBytes(), as: UTF8.self)
    }

    @Test func `the canonical form is that of the example in section 3.2.2`() throws {
        let text = #"""
            {
              "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
              "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
              "literals": [null, true, false]
            }
            """#
        #expect(
            try self.canonical(text)
                == #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
                + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#)
    }

    @Test func `the canonical form sorts keys by UTF-16 units, as section 3.2.3 does`() throws {
        let text = #"""
            {"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
             "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}
            """#
        let sorted = try JSON(parsing: try self.canonical(text)).object.map { $0.map { $0.value.string } }
        #expect(
            sorted == [
                "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign",
                "Emoji: Grinning Face", "Hebrew Letter Dalet With Dagesh",
            ])
    }

    /// The bit patterns of RFC 8785, appendix B.
    static let samples: [(bits: UInt64, text: String)] = [
        (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"), (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"), (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
        (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"), (0x4340_0000_0000_0000, "9007199254740992"),
        (0xC340_0000_0000_0000, "-9007199254740992"), (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"), (0x44B5_2D02_C7E1_4AF6, "1e+23"),
        (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"), (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
        (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
        (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
        (0x41B3_DE43_5555_5553, "333333333.3333332"), (0x41B3_DE43_5555_5554, "333333333.33333325"),
        (0x41B3_DE43_5555_5555, "333333333.3333333"), (0x41B3_DE43_5555_5556, "333333333.3333334"),
        (0x41B3_DE43_5555_5557, "333333333.33333343"), (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
        (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
    ]

    @Test(arguments: Self.samples)
    func `the canonical form of a double has the shortest digits and reads back the same`(
        _ bits: UInt64, _ text: String
    ) throws {
        #expect(JSONNumber(Double(bitPattern: bits))?.text == text)
        #expect(try self.canonical(text) == text)
    }

    @Test func `any double reads back as itself, with or without an exponent`() {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<20_000 {
            // Half of them near 1, where the layout has no exponent.
            let bits = random.next()
            let near = bits & 0x800F_FFFF_FFFF_FFFF | UInt64.random(in: 990...1_100, using: &random) << 52
            let double = Double(bitPattern: Bool.random(using: &random) ? bits : near)
            guard double.isFinite else { continue }
            guard let number = JSONNumber(double), number.double == double, JSONNumber(number.text) != nil else {
                Issue.record("\(double)")
                return
            }
        }
    }

    @Test(arguments: [
        ("1.0", "1"), ("-0", "0"), ("-0.0e9", "0"), ("100e-2", "1"), ("12345678901234567890", "12345678901234567000"),
        ("1e21", "1e+21"), ("123456789012345678901", "123456789012345680000"), ("1e-7", "1e-7"), ("1e-6", "0.000001"),
        ("0.1", "0.1"), ("1E2", "100"), ("1e-400", "0"), ("-1.50e1", "-15"),
    ])
    func `the canonical form rounds a number to a double`(_ text: String, _ expected: String) throws {
        #expect(try self.canonical(text) == expected)
    }

    @Test func `a number that overflows a double is refused with its pointer`() throws {
        let value = try JSON(parsing: #"{"a":[1,{"b/c":-1e400}]}"#)
        let error = try #require(throws: JSONError.self) { try value.canonicalBytes() }
        #expect(error.code == .number)
        #expect(error.pointer == "/a/1/b~1c")
        #expect(error.description.hasPrefix("at /a/1/b~1c: -1e400 is beyond the range of doubles"))
    }

    @Test func `the canonical form is the same for every spelling, and is idempotent`() {
        forAll(cases: 1_000) {
            $0.value()
        } holds: { value in
            guard let bytes = try? value.canonicalBytes() else { return nil }
            guard try JSON(parsing: value.prettyText).canonicalBytes() == bytes else { return "pretty text" }
            guard try JSON(parsing: bytes).canonicalBytes() == bytes else { return "twice" }
            guard try value.reversedKeys.canonicalBytes() == bytes else { return "order of keys" }
            return nil
        }
    }
}

extension JSON {
    /// The same value with the keys of every object in the opposite order.
    var reversedKeys: JSON {
        switch self.byType {
        case .array(let elements): .array(elements.map(\.reversedKeys))
        case .object(let object): .object(JSONObject(object.reversed().map { ($0.key, $0.value.reversedKeys) }))
        case .null, .bool, .number, .string: self
        }
    }
}
