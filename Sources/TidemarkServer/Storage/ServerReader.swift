/// Reads the server's rows: the part of ``ServerStorage`` that several readers can use at the same time.
///
/// *Write your own*: every call is synchronous and comes from one caller at a time; all calls except ``epoch()`` come inside
/// ``snapshot(_:)`` or ``snapshot(expecting:_:)``. A reader with a separate connection (``ServerStorage/openReader()``) never
/// waits for the writer's transaction, and sees exactly the state that was committed when its snapshot began (W3).
public protocol ServerReader {
    /// The random name of this history, made with the database and never changed (Contract §5).
    func epoch() throws(ServerStorageError) -> String

    /// Runs `work`, which only reads, over one state of the database.
    func snapshot<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome

    /// Runs `work` in the same way; the announcement lets a remote storage read everything at once. If `work` then needs more
    /// than that, it may be run twice, each time over one state: it must have no effect besides its outcome.
    func snapshot<Outcome>(
        expecting read: ExpectedRead, _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome

    /// The feed of an account's collection; nil if nothing was ever posted to it.
    func feed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed?

    /// The first `limit` feeds of an account with the names of their collections, ordered by the UTF-8 of the names.
    func feeds(account: String, limit: Int) throws(ServerStorageError) -> [(collection: String, feed: ServerFeed)]

    /// The size of an account's data, summed over its feeds: ``ServerFeed/rows``, ``ServerFeed/bytes``.
    func usage(of account: String) throws(ServerStorageError) -> AccountUsage

    /// The incarnation that assigned a version of a feed: the last incarnation that began below the version.
    ///
    /// Nil for 0, and for a version from before incarnations were recorded.
    func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String?

    /// The row of a record, or its tombstone.
    func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow?

    /// Calls `visit` with the rows of a feed that are newer than a version, oldest first, until it returns false.
    ///
    /// - Parameters:
    ///   - feed: The feed.
    ///   - version: The version after which the rows begin.
    ///   - visit: Gets the UTF-8 of the record's `pk`, its version, and its data, which is nil for a tombstone.
    func rows(
        in feed: ServerFeed, after version: Int64, visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool
    ) throws(ServerStorageError)

    /// The number of rows of a feed that are newer than a version.
    func countRows(in feed: ServerFeed, after version: Int64) throws(ServerStorageError) -> Int64

    /// Whether a read takes no longer than a read of a local file. The server does not query a remote storage on a thread that
    /// other requests wait for.
    var isNear: Bool { get }

    /// The token with a digest (``ServerToken/digest``), even if it has expired; nil if there is no such token.
    func token(ofDigest digest: String) throws(ServerStorageError) -> ServerToken?

    /// Whether an account was ever added: then every request needs a token.
    func keepsAccounts() throws(ServerStorageError) -> Bool
}

extension ServerReader {
    /// True, as for a file.
    public var isNear: Bool { true }

    /// Runs `work` without use of the announcement, as for a file.
    public func snapshot<Outcome>(
        expecting read: ExpectedRead, _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome {
        try self.snapshot(work)
    }

    /// Nil, for a storage that keeps no accounts.
    public func token(ofDigest digest: String) throws(ServerStorageError) -> ServerToken? { nil }

    /// False, for a storage that keeps no accounts.
    public func keepsAccounts() throws(ServerStorageError) -> Bool { false }
}
