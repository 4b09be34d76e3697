import TidemarkCore
import TidemarkJSON
import TidemarkRules
import Testing

// The rules in the documentation, word for word.

struct Longest: FieldRule {
    func decide(_ field: FieldConflict) -> FieldOutcome {
        guard let server = field.server?.string, let client = field.client?.string else { return .client }
        return server.count > client.count ? .server : .client
    }
}

@Suite("Contract §4 custom rules") struct CustomRuleTests {
    @Test func `a rule is a value with one function`() throws {
        let rules = try FieldRules([("/title", Longest()), ("/price", .ask)])
        let merge = rules.merge(
            base: ["title": "Milk", "price": 1], server: ["title": "Oat milk", "price": 1],
            client: ["title": "Milch", "price": 2])
        #expect(merge.merged == ["title": "Oat milk", "price": 2])
    }

    @Test func `a closure is a rule`() throws {
        let rules = try FieldRules([
            (
                "/stars",
                .custom { field in
                    guard let server = field.server?.int, let client = field.client?.int else { return .client }
                    return .value(.number(JSONNumber((server + client) / 2)), lost: true)
                }
            )
        ])
        let merge = rules.merge(base: ["stars": 1], server: ["stars": 3], client: ["stars": 5])
        #expect(merge.merged == ["stars": 4])
        #expect(merge.clashes.map(\.winner) == [.value])
    }

    @Test func `all rules are spelled as the documentation spells them`() throws {
        let rules = try FieldRules([
            ("/a", .client), ("/b", .server), ("/c", .min), ("/d", .max), ("/e", .sum), ("/f", .union), ("/g", .list),
            ("/h", .keyed("id")), ("/i", .text), ("/j", .latest(by: "/seen")), ("/k", .ask),
            ("/l", .custom { _ in .server }),
        ])
        #expect(rules.entries.count == 12)
    }
}
