import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite("Contract §4 min, max, latest, ask, custom") struct OrderRulesTests {
    @Test(arguments: [
        ("5", "3", "4", "3", "4"), ("5", "7", "6", "6", "7"), ("1", "1e400", "-2", "-2", "1e400"),
        ("0", "0.30000000000000004", "0.3", "0.3", "0.30000000000000004"),
        (#""a""#, #""2026-02-01""#, #""2026-01-31""#, #""2026-01-31""#, #""2026-02-01""#),
    ])
    func `min and max keep the smaller or larger value and report the other value`(
        base: String, server: String, client: String, min: String, max: String
    ) throws {
        let sides = try [base, server, client].map { try JSON(parsing: $0) }
        let smaller = try merging(.min, base: sides[0], server: sides[1], client: sides[2])
        let larger = try merging(.max, base: sides[0], server: sides[1], client: sides[2])
        #expect(smaller.value?.text == min && larger.value?.text == max)
        #expect(smaller.clashes == ["/f"] && larger.clashes == ["/f"])
    }

    @Test(arguments: [
        JSONNumber(-3), JSONNumber(0), JSONNumber(12),
    ])
    func `min and max are symmetric, and merging again changes nothing`(other: JSONNumber) throws {
        for rule in [FieldRules.Extreme(.smallest), FieldRules.Extreme(.largest)] {
            for mine in -4...13 {
                let (mine, other) = (JSON.number(JSONNumber(mine)), JSON.number(other))
                let merged = try merging(rule, base: 99, server: mine, client: other)
                #expect(try merging(rule, base: 99, server: other, client: mine).value == merged.value)
                #expect(try merging(rule, base: 99, server: merged.value, client: other).value == merged.value)
                #expect(try merging(rule, base: 99, server: mine, client: merged.value).value == merged.value)
            }
        }
    }

    static let misfits: [(any FieldRule, JSON?, JSON?)] = [
        (.min, "7", 6), (.max, nil, 6), (.min, nil, nil), (.max, [1], 6), (.sum, "7", 6), (.sum, nil, 6),
        (.sum, 7, nil),
        (.union, 1, []), (.union, nil, [1]), (.list, ["a"], "a"), (.list, [1], nil), (.text, "a", 1),
        (.text, nil, "a"), (.keyed("id"), [["id": 1], ["id": 1]], [["id": 2]]), (.keyed("id"), [["x": 1]], []),
        (.keyed("id"), [1], []), (.keyed("id"), [["id": nil as JSON? ?? .null]], []), (.latest(by: "/none"), 1, 2),
        (FieldRules.Sum(digits: 3), 999, 600), (FieldRules.List(edits: 1), [1, 2], [3]),
        (FieldRules.Text(edits: 1), "a\nb", "c\nd"),
    ]

    @Test(arguments: Self.misfits.indices)
    func `a rule that does not fit the values keeps the client's and reports a clash`(index: Int) throws {
        let (rule, server, client) = Self.misfits[index]
        let base: JSON? = rule is FieldRules.Sum || (rule as? FieldRules.Extreme)?.extreme == .smallest ? 500 : nil
        let merge = try merging(
            rule, base: server == nil && client == nil ? nil : base ?? true, server: server, client: client)
        if server == client {
            #expect(merge == Merging(nil))
        } else {
            #expect(merge == Merging(client, clashes: ["/f"]))
        }
    }

    @Test(arguments: [
        ("10", "9", "server's"), ("9", "10", "client's"), ("9", "9.0", "client's"),
        (#""2026-02-01""#, #""2026-01-31""#, "server's"), (#""2026""#, "2026", "client's"),
    ])
    func `latest compares another field of the record, and the client wins a tie`(
        server: String, client: String, winner: String
    ) throws {
        let rules = try FieldRules([("/note/body", .latest(by: "/meta/seen"))])
        func record(_ body: JSON, seen: String) throws -> JSON {
            ["note": ["body": body], "meta": ["seen": try JSON(parsing: seen)]]
        }
        let merge = rules.merge(
            base: try record("base", seen: "1"), server: try record("server's", seen: server),
            client: try record("client's", seen: client))
        #expect(merge.merged?.note?.body?.string == winner)
        #expect(merge.clashes.map(\.path.text).contains("/note/body"))
    }

    @Test func `latest with an invalid pointer is refused`() {
        #expect { try FieldRules([("/a", .latest(by: "seen"))]) } throws: { error in
            (error as? TidemarkError)?.message.contains("“seen”") == true
        }
    }

    @Test func `ask leaves the field to the user and shows the client's value until then`() throws {
        let merge = try mergeOfRecord(.ask, base: 1, server: 2, client: 3)
        #expect(merge.merged?["f"] == 3)
        #expect(merge.undecided.map(\.path.text) == ["/f"])
    }

    @Test func `a rule is called only if both sides changed the field, by the first match`()
        throws
    {
        let asked = FieldRules.Custom { _ in .value("asked", lost: false) }
        #expect(try merging(asked, base: 1, server: 1, client: 2) == Merging(2))
        #expect(try merging(asked, base: 1, server: 2, client: 1) == Merging(2))
        #expect(try merging(asked, base: 1, server: 2, client: 2) == Merging(2))
        let rules = try FieldRules([("/*/n", .sum), ("/a/n", asked), ("/*/*", .server)])
        let merge = rules.merge(
            base: ["a": ["n": 1, "t": 1]], server: ["a": ["n": 2, "t": 2]], client: ["a": ["n": 3, "t": 3]])
        #expect(merge.merged == ["a": ["n": 4, "t": 2]])
    }

    @Test func `a rule for the whole record whose result is not an object does not fit`() throws {
        let rules = try FieldRules([("", .custom { _ in .value("text", lost: false) })])
        let merge = rules.merge(base: ["a": 1], server: ["a": 2], client: ["a": 3])
        #expect(merge.merged == ["a": 3])
        #expect(merge.clashes.map(\.path.text) == [""])
    }
}
