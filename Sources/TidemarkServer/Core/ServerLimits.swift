/// Everything in the server has a limit with a name (SPEC §3.7); sizes are in bytes, unpacked.
public struct ServerLimits: Sendable, Hashable {
    /// How many items an answer brings, when the request does not ask for fewer.
    public var page = 500
    /// How large the items of an answer may grow together; the item that goes over it is the last.
    public var pageBytes = 32 << 20
    /// How large the results of an answer may grow together, and the rows that its edits were decided over: an edit
    /// beyond it is not carried out and answered with 503, to be sent again (SPEC W4). The first one always passes.
    ///
    /// With ``pageBytes``, and one record over each, an answer stays below the 128 MiB that the client takes.
    public var results = 32 << 20
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
    /// How long the name of a collection may be; the client's `SyncLimits.nameSize` is the same number.
    public var collectionName = 512
    /// How long a `pk` may be; the client's `SyncLimits.nameSize` is the same number.
    public var pk = 512
    /// How long a `request_id` may be.
    public var requestID = 200
    /// Up to which size an edit is kept for repetitions as it came; of a larger one the digest is (SPEC W4).
    public var rememberedEdit = 4 << 10
    /// Up to which size a RESULT is kept for repetitions as it was; of a larger one the version is (SPEC W4).
    public var rememberedResult = 16 << 10
    /// How many times as large as its edit a RESULT over 1 KiB may be to be kept as it was: who sends little about large records
    /// costs little, too.
    public var rememberedGrowth = 16

    /// How long it may take until a token that was revoked elsewhere opens nothing any more.
    public var tokenMemory: Duration = .seconds(1)
    /// How many tokens are remembered for so long.
    public var tokensRemembered = 4_096
    /// How long the name of an account may be, and what is said of a token.
    public var accountName = 200

    /// How many POSTs may share one transaction.
    public var group = 256
    /// How large the answers of one transaction may grow together, and the bodies of those that wait for one; the POST that
    /// goes over it is the last.
    public var groupBytes = 8 << 20
    /// How many rows are erased in one transaction, where old deletions are forgotten or an account is removed; others write between
    /// two of them.
    public var erasedAtOnce = 10_000
    /// How many can read at once, beside whoever writes, where the storage can do that.
    public var readers = 4

    /// How many requests an account may send a second, on the average; one more gets 429. Nil for as many as it likes.
    public var requestsPerSecond: Int?
    /// For how many seconds' worth of requests there is room for who comes back with much to say.
    public var requestBurst = 10
    /// How many accounts are remembered for that.
    public var accountsRemembered = 100_000

    /// How many records an account may have, deleted ones not counted. An edit that adds one more is refused, with 413 in its
    /// result; nil for any number.
    public var rowsOfAccount: Int?
    /// How many bytes of JSON its records may have together. An edit that makes them more is refused, with 413 in its result;
    /// nil for any number.
    public var bytesOfAccount: Int?

    /// How many collections `GET /v1/` lists; of more it says that there are more.
    public var listedCollections = 10_000
    /// How many clients can wait for hints at the same time (SPEC §10); one more gets 503, and asks now and then instead.
    public var watches = 16_384
    /// How many of them may be of one account; one more gets 429.
    public var watchesOfAccount = 2_048
    /// About how many collections one watch keeps a hint.
    public var watchedCollections = 1_000
    /// How many names of collections all watches together may have, as each costs some hundred bytes; a watch for which there is
    /// no room gets 503, and one of all collections ends where the account makes more of them.
    public var watchedNames = 1_000_000
    /// How many of them those of one account may have; one more gets 429.
    public var watchedNamesOfAccount = 100_000

    /// How long tombstones and answers are kept at least (SPEC W4, W7); a purge takes what is older.
    public var horizon: Duration = .seconds(90 * 86_400)

    /// The limits as they are without a word said.
    public init() {}
}
