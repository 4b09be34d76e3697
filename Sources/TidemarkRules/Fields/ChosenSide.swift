public import TidemarkJSON

// The rules that look at no value: one side stands, or a person says which.

/// The local change goes over the server's.
public struct ClientFieldRule: FieldRule {
    /// Makes the rule.
    public init() {}

    /// The client's value.
    public func decide(_ field: FieldConflict) -> FieldOutcome { .client }
}

/// The server's value stands.
public struct ServerFieldRule: FieldRule {
    /// Makes the rule.
    public init() {}

    /// The server's value.
    public func decide(_ field: FieldConflict) -> FieldOutcome { .server }
}

/// A person decides; until then the record shows the client's value, and is not sent.
public struct AskFieldRule: FieldRule {
    /// Makes the rule.
    public init() {}

    /// Asks.
    public func decide(_ field: FieldConflict) -> FieldOutcome { .ask }
}

extension FieldRule where Self == ClientFieldRule {
    /// The local change goes over the server's.
    public static var client: ClientFieldRule { ClientFieldRule() }
}

extension FieldRule where Self == ServerFieldRule {
    /// The server's value stands.
    public static var server: ServerFieldRule { ServerFieldRule() }
}

extension FieldRule where Self == AskFieldRule {
    /// A person decides; until then the record shows the client's value, and is not sent.
    public static var ask: AskFieldRule { AskFieldRule() }
}
