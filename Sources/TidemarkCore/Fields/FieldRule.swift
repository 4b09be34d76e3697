public import TidemarkJSON

/// What decides a field that both sides changed (SPEC §4).
///
/// **Choose.** Without a rule a field is merged by ``ClientFieldRule``: the local change goes over the server's.
///
/// **Use an existing one.** `FieldRules([("/price", .server)])`.
///
/// **Write your own.** A rule is a value with one function. It is asked only where both sides changed the field to two
/// values, and takes an object or an array as one value. It must be pure: the same sides, the same outcome, on every
/// device.
///
/// ```swift
/// struct Longest: FieldRule {
///     func decide(_ sides: FieldSides) -> FieldOutcome {
///         (sides.client?.string?.count ?? 0) >= (sides.server?.string?.count ?? 0) ? .client : .server
///     }
/// }
/// ```
///
/// **Test it.** Call `decide` with three values; no client is needed.
public protocol FieldRule: Sendable {
    /// Decides between three values; a side without a value is nil, and `null` is a value.
    func decide(_ sides: FieldSides) -> FieldOutcome
}

/// The local change goes over the server's.
public struct ClientFieldRule: FieldRule {
    /// Makes the rule.
    public init() {}

    /// The client's value.
    public func decide(_ sides: FieldSides) -> FieldOutcome { .client }
}

/// The server's value stands.
public struct ServerFieldRule: FieldRule {
    /// Makes the rule.
    public init() {}

    /// The server's value.
    public func decide(_ sides: FieldSides) -> FieldOutcome { .server }
}

extension FieldRule where Self == ClientFieldRule {
    /// The local change goes over the server's.
    public static var client: ClientFieldRule { ClientFieldRule() }
}

extension FieldRule where Self == ServerFieldRule {
    /// The server's value stands.
    public static var server: ServerFieldRule { ServerFieldRule() }
}
