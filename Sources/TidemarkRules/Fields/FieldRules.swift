/// The rules of a collection, by pointer pattern; the first that matches decides (Contract §4).
///
/// ```swift
/// let rules = try FieldRules([("/price", .server), ("/lines", .keyed("id")), ("/lines/*/count", .sum)])
/// ```
public struct FieldRules: Sendable {
    /// One pattern and its rule.
    public struct Entry: Sendable {
        /// The fields.
        public var pattern: PointerPattern

        /// The rule of these fields.
        public var rule: any FieldRule

        /// Makes an entry, of a rule that has been checked.
        package init(pattern: PointerPattern, rule: any FieldRule) {
            self.pattern = pattern
            self.rule = rule
        }
    }

    /// The rules, the first to match first.
    public var entries: [Entry]

    /// No rules: the local change wins over the server's.
    public init() {
        self.entries = []
    }

    /// Makes rules from patterns.
    ///
    /// - Throws: ``TidemarkError/Code/invalidName`` when a pattern is not a JSON pointer, and what ``FieldRule/check()`` throws.
    public init(_ rules: [(String, any FieldRule)]) throws(TidemarkError) {
        self.entries = []
        for (pattern, rule) in rules {
            try rule.check()
            self.entries.append(Entry(pattern: try PointerPattern(pattern), rule: rule))
        }
    }
}
