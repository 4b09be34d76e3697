public import TidemarkJSON

/// What decides a field that both sides changed (SPEC §4).
///
/// **Choose.** Without a rule a field is merged by ``FieldRules/Client``: the local change goes over the server's.
///
/// **Use an existing one.** `FieldRules([("/count", .sum), ("/tags", .union), ("/lines", .keyed("id"))])`. There are
/// `.client`, `.server`, `.min`, `.max`, `.sum`, `.union`, `.list`, `.keyed("id")`, `.text`, `.latest(by: "/seen")`,
/// `.ask` and `.custom { field in … }`. A rule that does not fit the values leaves the field to the client, and the
/// server's value is listed as a clash.
///
/// **Write your own.** A rule is a value with one function. It is asked only where both sides changed the field to two
/// values, and takes an object or an array as one value. It must be pure: the same conflict, the same outcome, on every
/// device.
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
/// What else there is to know of a rule has an answer that fits most: a counter says that it ``addsUp``, a rule that
/// merges arrays of objects says what they are ``keyedBy``, and a rule around another one hands on what that says.
///
/// ```swift
/// /// A counter that never falls below zero.
/// struct Stock: FieldRule {
///     let addsUp = true
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

    /// Whether equal changes on both sides are two changes all the same, as the differences of a counter are, so that the
    /// rule is asked about equal values, too (SPEC R12). False, unless a rule says otherwise.
    var addsUp: Bool { get }

    /// Of a rule that merges arrays of objects, the member that says which object is which; nil for any other rule.
    ///
    /// The paths of clashes and of the journal name an object of such an array by this member, and rules whose patterns
    /// reach into the array are rules of its objects.
    var keyedBy: String? { get }

    /// Whether a change is put upon what the server has, and does not replace it: a change that a server has lost is then
    /// made again, whatever stands there (SPEC §6). Unless a rule says otherwise, this holds where it ``addsUp`` or is
    /// ``keyedBy`` a member.
    var buildsUpon: Bool { get }

    /// Refuses a rule that was made of something it can't work with. By default any rule will do.
    ///
    /// - Throws: ``TidemarkError/Code/invalidName``, as ``FieldRules`` do when they are made with this rule.
    func check() throws(TidemarkError)
}

extension FieldRule {
    /// Equal changes are one change.
    public var addsUp: Bool { false }

    /// The rule does not merge arrays of objects.
    public var keyedBy: String? { nil }

    /// What adds up builds upon what is there, and so does what is merged object by object.
    public var buildsUpon: Bool { self.addsUp || self.keyedBy != nil }

    /// Nothing is wrong.
    public func check() throws(TidemarkError) {}
}
