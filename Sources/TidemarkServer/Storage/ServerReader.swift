/// Reads the server's rows: the half of ``ServerStorage`` that several can have at once.
///
/// *Write your own*: every call is synchronous and comes from one caller at a time; calls but ``epoch()`` come inside
/// ``snapshot(_:)``. A reader that was opened beside the writer never waits for a transaction of its, and sees all that was
/// committed when its snapshot began, and nothing else (SPEC W3).
public protocol ServerReader {
    /// The name of this history, random, made with the database and never changed (SPEC §5).
    func epoch() throws(ServerStorageError) -> String

    /// Does `work`, which only reads, over one state of the database.
    func snapshot<Outcome>(
        _ work: () throws(ServerStorageError) -> Outcome
    ) throws(ServerStorageError) -> Outcome

    /// The feed of an account's collection, or nil where nothing was ever posted to it.
    func feed(account: String, collection: String) throws(ServerStorageError) -> ServerFeed?

    /// The feeds of an account with the names of their collections, in the order of the UTF-8 of these: the first `limit`.
    func feeds(account: String, limit: Int) throws(ServerStorageError) -> [(collection: String, feed: ServerFeed)]

    /// What an account has, by what its feeds count: ``ServerFeed/rows``, ``ServerFeed/bytes``.
    func usage(of account: String) throws(ServerStorageError) -> AccountUsage

    /// The run that gave out a version of a feed: of those that began below it, the one that began last.
    ///
    /// Nil for 0, and for a version from before runs were noted.
    func run(of version: Int64, in feed: ServerFeed) throws(ServerStorageError) -> String?

    /// The row of a record, a tombstone's too.
    func row(_ pk: String, in feed: ServerFeed) throws(ServerStorageError) -> ServerRow?

    /// Visits the rows of a feed that are newer than a version, oldest first, until `visit` returns false.
    ///
    /// - Parameters:
    ///   - feed: Whose rows.
    ///   - version: The newest that is left out.
    ///   - visit: Is lent the UTF-8 of the record's `pk`, its version, and its data; nil in a tombstone.
    func rows(
        in feed: ServerFeed, after version: Int64, visit: (Span<UInt8>, Int64, Span<UInt8>?) -> Bool
    ) throws(ServerStorageError)

    /// How many rows of a feed are newer than a version.
    func countRows(in feed: ServerFeed, after version: Int64) throws(ServerStorageError) -> Int64

    /// Whether a look into it takes no longer than one into a file: what is far away is not asked while others wait for whoever asks.
    var isNear: Bool { get }

    /// The token with a digest (``ServerToken/digest``), one that has expired, too; nil where there is none.
    func token(ofDigest digest: String) throws(ServerStorageError) -> ServerToken?

    /// Whether there ever was an account: then nobody comes in without a token.
    func keepsAccounts() throws(ServerStorageError) -> Bool
}

extension ServerReader {
    /// As a file is.
    public var isNear: Bool { true }

    /// No token: a storage without accounts of its own.
    public func token(ofDigest digest: String) throws(ServerStorageError) -> ServerToken? { nil }

    /// No account.
    public func keepsAccounts() throws(ServerStorageError) -> Bool { false }
}
