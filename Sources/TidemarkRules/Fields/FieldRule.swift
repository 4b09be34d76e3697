public import TidemarkJSON

/// A rule for a field that both sides changed (Contract §4).
///
/// **Choose.** Without a rule a field is merged by ``FieldRules/Client``: the local change goes over the server's.
///
/// **Use an existing one.** `FieldRules([("/count", .sum), ("/tags", .union), ("/lines", .keyed("id"))])`. There are
/// `.client`, `.server`, `.whole`, `.min`, `.max`, `.sum`, `.union`, `.list`, `.keyed("id")`, `.text`, `.latest(by: "/seen")`,
/// `.ask` and `.custom { field in … }`. If a rule does not fit the values, the client's value wins, and the server's
/// value is listed as a clash.
///
/// **Write your own.** A rule is a value with one function. It is called only if both sides changed the field to
/// different values, and treats an object or an array as one value. It must be pure: the same conflict, the same outcome, on
/// every device.
///
/// ```swift
/// struct Longest: FieldRule {
///     func decide(_ field: FieldConflict) -> FieldOutcome {
///         guard let server = field.server?.string, let client = field.client?.string else { return .client }
///         return server.count > client.count ? .server : .client
///     }
/// }
///
/// let rules = try FieldRules([("/title", Longest()), ("/price", .ask)])
/// ```
///
/// The other requirements have defaults that fit most rules: a counter sets ``isAdditive``, a rule that merges arrays of
/// objects returns the key member in ``keyedBy``, and a rule that wraps another one forwards both.
///
/// ```swift
/// /// A counter that never falls below zero.
/// struct Stock: FieldRule {
///     let isAdditive = true
///
///     func decide(_ field: FieldConflict) -> FieldOutcome {
///         let outcome = FieldRules.Sum().decide(field)
///         guard case .value(let sum, _) = outcome, let left = sum?.int, left < 0 else { return outcome }
///         return .value(0, lost: false)
///     }
/// }
/// ```
///
/// **Test it.** Make a ``FieldConflict`` and call `decide`; no client is needed.
public protocol FieldRule: Sendable {
    /// Decides between the two sides of a field.
    func decide(_ field: FieldConflict) -> FieldOutcome

    /// Whether equal changes on both sides are two changes, as the differences of a counter are. Then the rule is called for
    /// equal values, too (R12). The default is false.
    var isAdditive: Bool { get }

    /// For a rule that merges arrays of objects: the member that identifies an object; nil for any other rule.
    ///
    /// The paths of clashes and of the journal name an object of such an array by this member, and rules whose patterns
    /// reach into the array are rules of its objects.
    var keyedBy: String? { get }

    /// Whether a change is applied on top of the server's value instead of replacing it. If a server has lost such a change, it
    /// is made again, whatever the present value is (Contract §6). The default is true if ``isAdditive`` is true or ``keyedBy`` is
    /// not nil.
    var isIncremental: Bool { get }

    /// Refuses a rule with an invalid argument. The default accepts any rule.
    ///
    /// - Throws: ``TidemarkError/Code/invalidName``. ``FieldRules`` call it when they are made with this rule.
    func check() throws(TidemarkError)
}

extension FieldRule {
    /// Equal changes are one change.
    public var isAdditive: Bool { false }

    /// The rule does not merge arrays of objects.
    public var keyedBy: String? { nil }

    /// True for a rule that adds up, and for one that merges object by object.
    public var isIncremental: Bool { self.isAdditive || self.keyedBy != nil }

    /// Accepts the rule.
    public func check() throws(TidemarkError) {}
}
