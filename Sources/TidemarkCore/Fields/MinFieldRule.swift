public import TidemarkJSON

/// The smaller of two numbers stands, compared exactly; of two strings the one that is smaller by code point, as
/// timestamps of one format are. Other values it does not fit. The value that loses is listed.
public struct MinFieldRule: FieldRule {
    /// Makes the rule.
    public init() {}

    /// The smaller value.
    public func decide(_ sides: FieldSides) -> FieldOutcome {
        guard let server = Rank(sides.server), let client = Rank(sides.client),
            let isServers = server.isSmaller(than: client)
        else { return .client }
        return isServers ? .server : .client
    }
}

extension FieldRule where Self == MinFieldRule {
    /// The smaller value stands.
    public static var min: MinFieldRule { MinFieldRule() }
}
