/// The server's limits, each with a name (Contract §3.7); sizes are in bytes, uncompressed.
public struct ServerLimits: Sendable, Hashable {
    /// The most items in an answer, unless the request asks for fewer.
    public var page = 500
    /// The size of the items of an answer at which it ends; the item that exceeds it is the last.
    public var pageBytes = 32 << 20
    /// The total size of the results of an answer, and of the rows that its edits were decided over. An edit beyond it is not
    /// carried out and is answered with 503, to be sent again (W4). The first edit always fits.
    ///
    /// With ``pageBytes``, and one record over each, an answer stays below the 128 MiB that the client accepts.
    public var results = 32 << 20
    /// The size of a request's body, uncompressed.
    public var body = 8 << 20
    /// The most edits in one request.
    public var edits = 1_000
    /// The size of a record.
    public var record = 8 << 20
    /// The nesting depth of a record: a page wraps it in three more levels, a POST in five.
    public var recordDepth = 500
    /// The nesting depth of a body.
    public var bodyDepth = 512
    /// The length of a collection's name; the client's `SyncLimits.nameSize` is the same number.
    public var collectionName = 512
    /// The length of a `pk`; the client's `SyncLimits.nameSize` is the same number.
    public var pk = 512
    /// The length of a `request_id`.
    public var requestID = 200
    /// The size up to which an edit is kept whole for repetitions; of a larger one the digest is kept (W4).
    public var rememberedEdit = 4 << 10
    /// The size up to which a RESULT is kept whole for repetitions; of a larger one the version is kept (W4).
    public var rememberedResult = 16 << 10
    /// A RESULT over 1 KiB is kept whole only up to this multiple of its edit's size, so that a client that sends small edits
    /// of large records needs little space.
    public var rememberedGrowth = 16

    /// The time until the revocation of a token by another process takes effect, or the addition of one that was refused just before.
    public var tokenMemory: Duration = .seconds(1)
    /// The most tokens that are cached for that time.
    public var tokensRemembered = 4_096
    /// The most unknown tokens that are cached for that time, so that a client that repeats one costs no look-ups.
    public var unknownTokensRemembered = 4_096
    /// The length of an account's name, and of a token's label.
    public var accountName = 200

    /// The most POSTs that share one transaction.
    public var group = 256
    /// The size at which a transaction takes no more POSTs, of their answers, and of the bodies that wait for one; the POST
    /// that exceeds it is the last.
    public var groupBytes = 8 << 20
    /// The most rows that are erased in one transaction of a purge or of an account's removal; other transactions can write
    /// between two of them.
    public var erasedAtOnce = 10_000
    /// The most reads at the same time, in addition to one write, if the storage allows that.
    public var readers = 4

    /// The requests per second that an account may send on average; more get 429. Nil for no limit.
    public var requestsPerSecond: Int?
    /// The size of a burst of requests, in seconds of the rate.
    public var requestBurst = 10
    /// The most accounts that are remembered for that.
    public var accountsRemembered = 100_000

    /// The most records of an account, deleted ones not counted. An edit that adds one more is refused, with 413 in its result;
    /// nil for no limit.
    public var rowsOfAccount: Int?
    /// The most bytes of JSON in an account's records. An edit that exceeds it is refused, with 413 in its result; nil for no
    /// limit.
    public var bytesOfAccount: Int?

    /// The most collections in the answer to `GET /v1/`; if there are more, the answer declares that.
    public var listedCollections = 10_000
    /// The most clients that wait for hints at the same time (Contract §10); one more gets 503, and polls instead.
    public var watches = 16_384
    /// The most of them for one account; one more gets 429.
    public var watchesOfAccount = 2_048
    /// For about how many collections one watch keeps a hint.
    public var watchedCollections = 1_000
    /// The most names of collections of all watches together, since each needs some hundred bytes. A watch without room gets
    /// 503, and a watch of all collections ends if the account makes more of them.
    public var watchedNames = 1_000_000
    /// The most of them for one account; one more gets 429.
    public var watchedNamesOfAccount = 100_000

    /// The minimum age of tombstones and answers that a purge deletes (W4, W7).
    public var horizon: Duration = .seconds(90 * 86_400)

    /// The default limits.
    public init() {}
}
