public import TidemarkJSON

/// The larger of two numbers stands, compared exactly; of two strings the one that is larger by code point, as
/// timestamps of one format are. Other values it does not fit. The value that loses is listed.
public struct MaxFieldRule: FieldRule {
    /// Makes the rule.
    public init() {}

    /// The larger value.
    public func decide(_ sides: FieldSides) -> FieldOutcome {
        guard let server = Rank(sides.server), let client = Rank(sides.client),
            let isServers = client.isSmaller(than: server)
        else { return .client }
        return isServers ? .server : .client
    }
}

extension FieldRule where Self == MaxFieldRule {
    /// The larger value stands.
    public static var max: MaxFieldRule { MaxFieldRule() }
}
