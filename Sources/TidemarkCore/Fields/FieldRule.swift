public import TidemarkJSON

/// What decides a field that both sides changed (SPEC §4).
///
/// **Choose.** Without a rule a field is merged by ``ClientFieldRule``: the local change goes over the server's.
///
/// **Use an existing one.** `FieldRules([("/count", .sum), ("/tags", .union), ("/lines", .keyed("id"))])`. There are
/// `.client`, `.server`, `.min`, `.max`, `.sum`, `.union`, `.list`, `.keyed("id")`, `.text`, `.latest(by: "/seen")`,
/// `.ask` and `.custom { sides in … }`. A rule that does not fit the values leaves the field to the client, and the
/// server's value is listed as a clash.
///
/// **Write your own.** A rule is a value with one function. It is asked only where both sides changed the field to two
/// values, and takes an object or an array as one value. It must be pure: the same sides, the same outcome, on every
/// device.
///
/// ```swift
/// struct Longest: FieldRule {
///     func decide(_ sides: FieldSides) -> FieldOutcome {
///         guard let server = sides.server?.string, let client = sides.client?.string else { return .client }
///         return server.count > client.count ? .server : .client
///     }
/// }
///
/// let rules = try FieldRules([("/title", Longest()), ("/price", .ask)])
/// ```
///
/// **Test it.** Call `decide` with three values; no client is needed.
public protocol FieldRule: Sendable {
    /// Decides between three values; a side without a value is nil, and `null` is a value.
    func decide(_ sides: FieldSides) -> FieldOutcome

    /// Decides with a look at the whole record; only a rule that needs it has this of its own.
    func decide(_ sides: FieldSides, in record: RecordSides) -> FieldOutcome
}

extension FieldRule {
    /// Decides by the field alone.
    public func decide(_ sides: FieldSides, in record: RecordSides) -> FieldOutcome { self.decide(sides) }
}

/// The record that a field is part of, as both sides started from it and as each has it now.
public struct RecordSides: Sendable {
    /// The record both sides started from.
    public let base: JSON?

    /// The record the server has now.
    public let server: JSON?

    /// The record the client has now.
    public let client: JSON?

    /// The rules of the record, for a rule that merges what lies inside of its field.
    public let rules: FieldRules

    /// Makes the sides of a record, for example to test a rule without a merge.
    public init(base: JSON?, server: JSON?, client: JSON?, rules: FieldRules = FieldRules()) {
        self.base = base
        self.server = server
        self.client = client
        self.rules = rules
    }
}
