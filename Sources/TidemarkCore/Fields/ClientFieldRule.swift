public import TidemarkJSON

/// The local change goes over the server's.
public struct ClientFieldRule: FieldRule {
    /// Makes the rule.
    public init() {}

    /// The client's value.
    public func decide(_ sides: FieldSides) -> FieldOutcome { .client }
}

extension FieldRule where Self == ClientFieldRule {
    /// The local change goes over the server's.
    public static var client: ClientFieldRule { ClientFieldRule() }
}
