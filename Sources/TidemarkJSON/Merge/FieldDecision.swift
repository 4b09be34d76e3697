/// Decides one field that both sides changed. It takes an object as one value.
///
/// A field rule (SPEC §4) is such a function. It is pure: the same sides give the same outcome.
///
/// ```swift
/// let smaller: FieldDecision = { sides in
///     guard let server = sides.server?.number, let client = sides.client?.number else { return .client }
///     return client < server ? .client : .server
/// }
/// ```
public typealias FieldDecision = (FieldSides) -> FieldOutcome

/// The three values of a field that both sides changed. A side of nil has no value there; `.null` is a value.
public struct FieldSides: Sendable, Hashable {
    /// Where the field is in the record.
    public let path: JSONPointer

    /// The value both sides started from.
    public let base: JSON?

    /// The value the server has now.
    public let server: JSON?

    /// The value the client has now.
    public let client: JSON?

    /// Makes the sides of a field, for example to test a decision without a merge.
    public init(path: JSONPointer, base: JSON?, server: JSON?, client: JSON?) {
        self.path = path
        self.base = base
        self.server = server
        self.client = client
    }
}

/// What becomes of a field that both sides changed.
public enum FieldOutcome: Sendable, Hashable {
    /// The client's value stands, the server's loses.
    case client

    /// The server's value stands, the client's loses.
    case server

    /// This value stands (nil: none); `lost` says whether a side's value is not in it, which lists a clash.
    case value(JSON?, lost: Bool)

    /// This value stands, and the decision itself lists what lost inside of it, for example for one key of an array.
    case merged(JSON?, clashes: [JSONClash])

    /// A person decides; until then the client's value stands.
    case ask
}
