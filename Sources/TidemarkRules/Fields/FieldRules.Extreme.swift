public import TidemarkJSON

extension FieldRules {
    /// The smaller or the larger of two numbers wins, compared exactly; of two strings the one that is smaller or larger by
    /// code point, as timestamps of one format are. The rule does not fit other values. The value that loses is listed.
    public struct Extreme: FieldRule {
        /// Which of two values wins.
        public enum Kind: Hashable, Sendable {
            /// The smaller one.
            case smallest

            /// The larger one.
            case largest
        }

        /// Which of two values wins.
        public let extreme: Kind

        /// Makes the rule.
        public init(_ extreme: Kind) {
            self.extreme = extreme
        }

        /// The smaller or the larger value.
        public func decide(_ field: FieldConflict) -> FieldOutcome {
            guard let server = Rank(field.server), let client = Rank(field.client) else { return .client }
            let isServers =
                switch self.extreme {
                case .smallest: server.isSmaller(than: client)
                case .largest: client.isSmaller(than: server)
                }
            return isServers == true ? .server : .client
        }
    }
}

extension FieldRule where Self == FieldRules.Extreme {
    /// The smaller value wins.
    public static var min: FieldRules.Extreme { FieldRules.Extreme(.smallest) }

    /// The larger value wins.
    public static var max: FieldRules.Extreme { FieldRules.Extreme(.largest) }
}
