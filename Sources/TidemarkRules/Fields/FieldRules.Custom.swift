public import TidemarkJSON

extension FieldRules {
    /// A closure decides.
    ///
    /// ```swift
    /// let rules = try FieldRules([
    ///     ("/stars", .custom { field in
    ///         guard let server = field.server?.int, let client = field.client?.int else { return .client }
    ///         return .value(.number(JSONNumber((server + client) / 2)), lost: true)
    ///     })
    /// ])
    /// ```
    public struct Custom: FieldRule {
        private let decision: @Sendable (FieldConflict) -> FieldOutcome

        /// Makes a rule of a closure. It must be pure: the same conflict, the same outcome, on every device.
        public init(_ decision: @escaping @Sendable (FieldConflict) -> FieldOutcome) {
            self.decision = decision
        }

        /// The outcome of the closure.
        public func decide(_ field: FieldConflict) -> FieldOutcome { self.decision(field) }
    }
}

extension FieldRule where Self == FieldRules.Custom {
    /// A closure decides.
    public static func custom(_ decision: @escaping @Sendable (FieldConflict) -> FieldOutcome) -> FieldRules.Custom {
        FieldRules.Custom(decision)
    }
}
