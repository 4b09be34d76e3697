public import TidemarkJSON

// The rules that look at no value: one side stands, or a person says which.

extension FieldRules {
    /// The local change goes over the server's.
    public struct Client: FieldRule {
        /// Makes the rule.
        public init() {}

        /// The client's value.
        public func decide(_ field: FieldConflict) -> FieldOutcome { .client }
    }

    /// The server's value stands.
    public struct Server: FieldRule {
        /// Makes the rule.
        public init() {}

        /// The server's value.
        public func decide(_ field: FieldConflict) -> FieldOutcome { .server }
    }

    /// A person decides; until then the record shows the client's value, and is not sent.
    public struct Ask: FieldRule {
        /// Makes the rule.
        public init() {}

        /// Asks.
        public func decide(_ field: FieldConflict) -> FieldOutcome { .ask }
    }
}

extension FieldRule where Self == FieldRules.Client {
    /// The local change goes over the server's.
    public static var client: FieldRules.Client { FieldRules.Client() }
}

extension FieldRule where Self == FieldRules.Server {
    /// The server's value stands.
    public static var server: FieldRules.Server { FieldRules.Server() }
}

extension FieldRule where Self == FieldRules.Ask {
    /// A person decides; until then the record shows the client's value, and is not sent.
    public static var ask: FieldRules.Ask { FieldRules.Ask() }
}
