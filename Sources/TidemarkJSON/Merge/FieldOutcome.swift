/// The decision about a field that both sides changed.
public enum FieldOutcome: Sendable, Hashable {
    /// The client's value wins, the server's loses.
    case client

    /// The server's value wins, the client's loses.
    case server

    /// This value wins (nil: no value); `lost` is true if a side's value is not in it, which lists a clash.
    case value(JSON?, lost: Bool)

    /// This value wins, and the decision itself lists the values inside it that lost, for example for one key of an array.
    case merged(JSON?, clashes: [JSONMerge.Clash])

    /// The user decides; until then the client's value is kept.
    case ask
}
