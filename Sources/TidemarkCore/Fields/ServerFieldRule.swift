public import TidemarkJSON

/// The server's value stands.
public struct ServerFieldRule: FieldRule {
    /// Makes the rule.
    public init() {}

    /// The server's value.
    public func decide(_ sides: FieldSides) -> FieldOutcome { .server }
}

extension FieldRule where Self == ServerFieldRule {
    /// The server's value stands.
    public static var server: ServerFieldRule { ServerFieldRule() }
}
