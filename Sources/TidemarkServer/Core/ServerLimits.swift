/// Everything in the server has a limit with a name (SPEC §3.7); sizes are in bytes, unpacked.
public struct ServerLimits: Sendable, Hashable {
    /// How many items an answer brings, when the request does not ask for fewer.
    public var page = 500
    /// How large the items of an answer may grow together; the item that goes over it is the last.
    public var pageBytes = 32 << 20
    /// How large a body may be, unpacked.
    public var body = 8 << 20
    /// How many edits one request may bring.
    public var edits = 1_000
    /// How large a record may become.
    public var record = 8 << 20
    /// How deeply a record may be nested: a page wraps it three levels deeper, a POST five.
    public var recordDepth = 500
    /// How deeply a body may be nested.
    public var bodyDepth = 512
    /// How long the name of a collection may be.
    public var collectionName = 200
    /// How long a `pk` may be.
    public var pk = 1_000
    /// How long a `request_id` may be.
    public var requestID = 200

    /// How long tombstones and answers are kept at least (SPEC W4, W7); a purge takes what is older.
    public var horizon: Duration = .seconds(90 * 86_400)

    /// The limits as they are without a word said.
    public init() {}
}
