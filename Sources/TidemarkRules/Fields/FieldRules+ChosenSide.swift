public import TidemarkJSON

// The rules that ignore the values: one side wins, or the user decides.

extension FieldRules {
    /// The local change wins over the server's.
    public struct Client: FieldRule {
        /// Makes the rule.
        public init() {}

        /// The client's value.
        public func decide(_ field: FieldConflict) -> FieldOutcome { .client }
    }

    /// The server's value wins.
    public struct Server: FieldRule {
        /// Makes the rule.
        public init() {}

        /// The server's value.
        public func decide(_ field: FieldConflict) -> FieldOutcome { .server }
    }

    /// The user decides; until then the record shows the client's value, and is not sent.
    public struct Ask: FieldRule {
        /// Makes the rule.
        public init() {}

        /// Leaves the decision to the user.
        public func decide(_ field: FieldConflict) -> FieldOutcome { .ask }
    }
}

extension FieldRule where Self == FieldRules.Client {
    /// The local change wins over the server's.
    public static var client: FieldRules.Client { FieldRules.Client() }

    /// An object whose members belong together, such as an amount with its currency: if both sides changed anything in it, the
    /// client's whole object wins, and the server's whole object is listed. Without a rule its members would be merged one by
    /// one. It is the rule ``client``, by the name of its use.
    public static var whole: FieldRules.Client { FieldRules.Client() }
}

extension FieldRule where Self == FieldRules.Server {
    /// The server's value wins.
    public static var server: FieldRules.Server { FieldRules.Server() }
}

extension FieldRule where Self == FieldRules.Ask {
    /// The user decides; until then the record shows the client's value, and is not sent.
    public static var ask: FieldRules.Ask { FieldRules.Ask() }
}
