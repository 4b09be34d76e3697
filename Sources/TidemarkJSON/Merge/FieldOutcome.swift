/// What becomes of a field that both sides changed.
public enum FieldOutcome: Sendable, Hashable {
    /// The client's value stands, the server's loses.
    case client

    /// The server's value stands, the client's loses.
    case server

    /// This value stands (nil: none); `lost` says whether a side's value is not in it, which lists a clash.
    case value(JSON?, lost: Bool)

    /// This value stands, and the decision itself lists what lost inside of it, for example for one key of an array.
    case merged(JSON?, clashes: [JSONMerge.Clash])

    /// A person decides; until then the client's value stands.
    case ask
}
