public import TidemarkJSON

/// A person decides; until then the record shows the client's value, and is not sent.
public struct AskFieldRule: FieldRule {
    /// Makes the rule.
    public init() {}

    /// Asks.
    public func decide(_ sides: FieldSides) -> FieldOutcome { .ask }
}

extension FieldRule where Self == AskFieldRule {
    /// A person decides; until then the record shows the client's value, and is not sent.
    public static var ask: AskFieldRule { AskFieldRule() }
}
