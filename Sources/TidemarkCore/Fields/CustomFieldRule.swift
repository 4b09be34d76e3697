public import TidemarkJSON

/// A closure decides.
///
/// ```swift
/// let rules = try FieldRules([
///     ("/stars", .custom { sides in
///         guard let server = sides.server?.int, let client = sides.client?.int else { return .client }
///         return .value(.number(JSONNumber((server + client) / 2)), lost: true)
///     })
/// ])
/// ```
public struct CustomFieldRule: FieldRule {
    private let decision: @Sendable (FieldSides) -> FieldOutcome

    /// Makes a rule of a closure. It must be pure: the same sides, the same outcome, on every device.
    public init(_ decision: @escaping @Sendable (FieldSides) -> FieldOutcome) {
        self.decision = decision
    }

    /// What the closure says.
    public func decide(_ sides: FieldSides) -> FieldOutcome { self.decision(sides) }
}

extension FieldRule where Self == CustomFieldRule {
    /// A closure decides.
    public static func custom(_ decision: @escaping @Sendable (FieldSides) -> FieldOutcome) -> CustomFieldRule {
        CustomFieldRule(decision)
    }
}
