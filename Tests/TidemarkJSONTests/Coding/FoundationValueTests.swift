import Foundation
import Testing
import TidemarkJSON

@Suite struct `Foundation's values have the form that other programs expect` {
    struct Order: Codable, Equatable {
        var price: Decimal
        var discounts: [Decimal?]
        var rates: [String: Decimal]
        var wide: Int128
        var huge: UInt128
        var large: UInt64
        var at: Date
        var photo: Data
        var page: URL
        var name: UUID
        var until: Date?
        var more: [[Date]]
    }

    private static func order() throws -> Order {
        Order(
            price: try #require(Decimal(string: "123456789012345678901234567890.12")), discounts: [12.5, nil, 0],
            rates: ["b": 1.27, "a": -3], wide: .min, huge: .max, large: .max, at: Date(timeIntervalSince1970: 0),
            photo: Data([1, 2, 255]), page: try #require(URL(string: "https://example.org/a?b=c")),
            name: try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")), until: nil,
            more: [[Date(timeIntervalSince1970: 1.5)], []])
    }

    @Test func `every Foundation type is encoded in its usual form, and decoded`() throws {
        let json = try JSON(encoding: try Self.order())
        #expect(
            json.text
                == #"{"price":123456789012345678901234567890.12,"discounts":[12.5,null,0],"rates":{"a":-3,"b":1.27},"#
                + #""wide":-170141183460469231731687303715884105728,"huge":340282366920938463463374607431768211455,"#
                + #""large":18446744073709551615,"at":"1970-01-01T00:00:00Z","photo":"AQL/","#
                + #""page":"https://example.org/a?b=c","name":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","#
                + #""more":[["1970-01-01T00:00:01.5Z"],[]]}"#)
        #expect(try json.decode(Order.self) == Self.order())
    }

    @Test func `Foundation's values are encoded as Foundation's own encoder does`() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        func check(_ value: some Codable & Equatable) throws {
            let theirs = try JSON(parsing: Array(try encoder.encode([value])))
            #expect(try JSON(encoding: [value]) == theirs)
            #expect(try theirs.decode() == [value])
        }
        var order = try Self.order()
        order.more = []
        try check(order)
        let (one, date) = (try #require(Decimal(string: "1.25")), Date(timeIntervalSince1970: 5))
        try check([order.name: one])
        try check([one: order.name])
        try check([date: 1])
        try check([order.page: [order.photo: date]])
        try check([7: one])
        try check(["k": Set([one])])
        try check(Optional(one))
    }

    @Test func `sets and dictionaries are encoded in a sorted order`() throws {
        let keys = try (0..<50).map { try #require(UUID(uuidString: "00000000-0000-0000-0000-0000000000\($0 + 10)")) }
        let pairs = try #require(try JSON(encoding: Dictionary(uniqueKeysWithValues: keys.map { ($0, 1) })).array)
        #expect(pairs.count == 100)
        #expect(stride(from: 0, to: 100, by: 2).map { pairs[$0].string } == keys.map(\.uuidString))
        #expect(try JSON(encoding: Set(keys)).array?.map(\.string) == keys.map(\.uuidString))
    }

    static let decimals = [
        "12.5", "1.27", "0", "-0.0125", "1e2", "0.1e1", "123456789012345678901234567890",
        "12345678901234567890123456789012345678", "1e-128", "1e127",
    ]

    @Test(arguments: Self.decimals)
    func `a decimal is encoded as the exact number`(text: String) throws {
        let number = try #require(JSONNumber(text))
        let value = try JSON.number(number).decode(Decimal.self)
        #expect(try JSON(encoding: value) == .number(number))
    }

    @Test(arguments: [
        "1e400", "1e-200", "340282366920938463463374607431768211456", "0.1234567890123456789012345678901234567891",
    ])
    func `a number that a decimal can't hold is refused, never rounded`(text: String) throws {
        let error = try #require(throws: DecodingError.self) {
            try JSON(parsing: #"{"price":\#(text)}"#).decode([String: Decimal].self)
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["price"])
        #expect(context.debugDescription.contains("more digits than a Decimal"))
    }

    @Test func `a Foundation value in another form is refused with its path`() throws {
        #expect(throws: DecodingError.self) { try JSON("12.5").decode(Decimal.self) }
        #expect(throws: DecodingError.self) { try JSON(5).decode(Date.self) }
        #expect(throws: DecodingError.self) { try JSON("yesterday").decode(Date.self) }
        #expect(throws: DecodingError.self) { try JSON("*").decode(Data.self) }
        #expect(throws: DecodingError.self) { try JSON("").decode(URL.self) }
        #expect(throws: DecodingError.self) { try JSON("E621").decode(UUID.self) }
        #expect(throws: DecodingError.self) { try JSON.null.decode(Decimal.self) }
        #expect(throws: EncodingError.self) { try JSON(encoding: [Decimal.nan]) }
        #expect(throws: EncodingError.self) { try JSON(encoding: Date(timeIntervalSince1970: .infinity)) }
        #expect(throws: EncodingError.self) { try JSON(encoding: Date(timeIntervalSince1970: 1e12)) }
    }
}
