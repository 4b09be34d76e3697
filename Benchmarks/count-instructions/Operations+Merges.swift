import TidemarkRules
import TidemarkJSON

extension Operation {
    /// Three-way merges without rules.
    static var merges: [Operation] {
        [
            merge("members", size: 60, nil, Fork.ofMembers),
            merge("shuffled-members", size: 60, nil, Fork.shuffled),
            merge("deep", size: 150, nil, Fork.deep),
            merge("escaped-long-keys", size: 500, nil, Fork.ofLongKeys),
        ]
    }

    /// Three-way merges of one field by each rule.
    static var rules: [Operation] {
        [
            merge("list", size: 24, .list, Fork.list),
            merge("list-rewritten", size: 30, FieldRules.List(edits: 10), Fork.anotherList),
            merge("union", size: 100, .union, Fork.union),
            merge("keyed-shuffled", size: 20, .keyed("id"), Fork.keyed),
            merge("text-of-lines", size: 100, .text, Fork.text),
            merge("text-of-words", size: 150, .text, Fork.words),
            merge("sum-of-digits", size: 150, FieldRules.Sum(digits: 1_000), Fork.digits),
            Operation(
                "journal keyed-clashes", size: 20, { (fork: Fork.keyed($0), rules: try rules(.keyed("id"))) },
                { input in
                    let merge = input.rules.merge(
                        base: input.fork.base, server: input.fork.server, client: input.fork.client)
                    var places = FieldPlaces(input.rules, in: merge.merged)
                    for clash in merge.clashes { _ = places.value(at: clash.path) }
                }),
        ]
    }

    private static func merge(
        _ shape: String, size: Int, _ rule: (any FieldRule)?, _ make: @escaping (Int) throws -> Fork
    ) -> Operation {
        Operation(
            "merge \(shape)", size: size, { (fork: try make($0), rules: try rules(rule)) },
            { input in
                _ = input.rules.merge(base: input.fork.base, server: input.fork.server, client: input.fork.client)
            })
    }

    private static func rules(_ rule: (any FieldRule)?) throws -> FieldRules {
        try FieldRules(rule.map { [("/f", $0)] } ?? [])
    }
}
