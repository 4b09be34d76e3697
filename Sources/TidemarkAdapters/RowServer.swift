public import TidemarkCore
public import TidemarkJSON

/// A backend as functions over rows: the changes after a cursor, one write, one row.
///
/// ``RowRemote`` makes a `Remote` of it. It compares versions before a write if the server does not, reads a row if an answer has
/// none, checks the rows of the server, limits the time of each call, and classifies errors.
///
/// **Write your own.** Send one request in each function, and convert the answer; ``RowShape`` does that for rows in JSON over HTTP.
///
/// - An error of ``write(_:in:)`` means that the outcome is unknown: the edit is sent again unchanged, unless the error is a
///   `RemoteFailure` or an `HTTPFailure`, which have a class. Return ``RowAnswer/refused(status:_:)`` for an edit that the server
///   will never accept.
/// - Another error of the other functions means that the answer was invalid (`FailureClass.invalidAnswer`).
/// - No function retries or waits: the client does that.
///
/// **Test it.** Run `RemoteConformance` of `TidemarkTesting` on the `RowRemote`.
public protocol RowServer: Sendable {
    /// The properties of the server on which the guarantees depend; begin with `.rows(…)`.
    var capabilities: RemoteCapabilities { get }

    /// Returns rows that were written or deleted after a cursor, in the order of the server's feed.
    ///
    /// A server without a feed returns ``RowChanges/list(_:)``.
    ///
    /// - Parameters:
    ///   - cursor: ``RowChanges/cursor`` of the last page; nil for the first page.
    ///   - limit: The maximum number of rows.
    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges

    /// Writes one edit if the server's row still has the version of the edit (`UploadRequest.versionText`).
    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer

    /// Returns a row, or nil if the server has none or only a tombstone without a version.
    ///
    /// - Parameter name: The pk, or the server's name of the record if the server names the records (``ServerRow/name``).
    func row(_ name: String, in collection: String) async throws -> ServerRow?

    /// Returns the row with a pk, with its name, if the server names the records; nil if there is none. A client without the name
    /// needs it: before a create, since its answer may have been lost or another client may have created the record, and for an
    /// edit of a record whose name the server uses for another one. By default there is none: the server uses the pk as the name.
    func find(_ pk: String, in collection: String) async throws -> ServerRow?

    /// Returns the account and the history of the data of a collection. Before each write they are compared with those of the
    /// store; by default neither is known.
    func identity(in collection: String) async throws -> ServerIdentity

    /// Whether a restore of the server from a backup is noticed by the row that was read last. If it is, that row is read again
    /// before each exchange: if it is missing, belongs to another record, or has an older version, the server has lost history, and
    /// a full resync journals the lost values. A version is older if both are numbers, or times of RFC 3339. By default it is not.
    ///
    /// Return true for a server without a history (``identity(in:)``) that keeps the rows of deleted records, and whose
    /// ``row(_:in:)`` returns them, without content. Of a server that forgets them, each deletion of the last row would count as a
    /// restore. A restore is not noticed if the backup has the last row, if that is a missing deletion, or if another client has raised
    /// the version of the row since.
    var noticesRestore: Bool { get }

    /// Whether the row is read before each write, and a conflict is returned if it has another version than the edit. By default
    /// it is read unless the condition of a write is `.atomic`, and if the server names the records: a restored server may give
    /// the name to another record, with the version of the edit. Return false if the server compares the version itself,
    /// although it writes later (`.checkedFirst`): then a write is one request, and a batch API is used. Over a server that names
    /// the records, return false only if it never uses a name twice, for example a UUID; there a batch API is not used.
    var readsBeforeWrite: Bool { get }

    /// Writes several edits with one request, for a batch API: an answer for each edit, in their order. Nil, by default, if the
    /// server has no batch API.
    func write(_ edits: [UploadRequest], in collection: String) async throws -> [RowAnswer]?

    /// Writes edits and returns changes with one request, for a server that does both at once. Nil, by default, if it does not.
    func exchange(_ request: ExchangeRequest) async throws -> RowExchange?
}

extension RowServer {
    /// Neither account nor history is known.
    public func identity(in collection: String) async throws -> ServerIdentity { ServerIdentity() }

    /// No restore is noticed.
    public var noticesRestore: Bool { false }

    /// The row is read unless the condition is `.atomic` and the client names the records.
    public var readsBeforeWrite: Bool { self.capabilities.condition != .atomic || self.capabilities.names != .client }

    /// No row: the pk is the name.
    public func find(_ pk: String, in collection: String) async throws -> ServerRow? { nil }

    /// No batch API.
    public func write(_ edits: [UploadRequest], in collection: String) async throws -> [RowAnswer]? { nil }

    /// No request that does both.
    public func exchange(_ request: ExchangeRequest) async throws -> RowExchange? { nil }
}

/// A row of a server: a record with its version, or a deletion.
public struct ServerRow: Hashable, Sendable {
    /// The pk of the record.
    public var pk: String

    /// The version: a JSON string or number. The edits that are made on it name it (`UploadRequest.version`).
    public var version: JSON

    /// The record, an object; nil if it was deleted.
    public var content: JSON?

    /// The server's name of the record, such as an id; nil if pk is the name. If a row has no pk, it is the pk as well.
    public var name: String?

    /// Makes a row.
    ///
    /// - Parameter version: As the server writes it in JSON; for an ETag or another text, `.string(etag)`.
    public init(pk: String, version: JSON, content: JSON?, name: String? = nil) {
        self.pk = pk
        self.version = version
        self.content = content
        self.name = name
    }
}

/// A page of changes.
public struct RowChanges: Sendable {
    /// The rows, in the order of the feed.
    public var rows: [ServerRow]

    /// Items that are no rows: they are reported as held, and do not stop the sync.
    public var malformed: [QuarantinedItem]

    /// The argument of the next call; nil to begin at the start again.
    public var cursor: String?

    /// Whether there are more rows now.
    public var hasMore: Bool

    /// How long the server demands that no request is sent, for example in a field `Backoff` of an answer; nil if it does not
    /// (`ExchangeAnswer.wait`).
    public var wait: Duration?

    /// The server's messages for the user (`ExchangeAnswer.notices`).
    public var notices: [String] = []

    /// Whether these are all rows of the collection, so that a record without a row is deleted.
    public private(set) var isWholeList = false

    /// Makes a page of a feed.
    public init(_ rows: [ServerRow], malformed: [QuarantinedItem] = [], cursor: String?, hasMore: Bool = false) {
        self.rows = rows
        self.malformed = malformed
        self.cursor = cursor
        self.hasMore = hasMore
    }

    /// All rows of a collection, for a server without a feed. Declare `feed: .listing`.
    public static func list(_ rows: [ServerRow], malformed: [QuarantinedItem] = []) -> RowChanges {
        var changes = RowChanges(rows, malformed: malformed, cursor: nil)
        changes.isWholeList = true
        return changes
    }
}

/// The server's decision about one edit.
public enum RowAnswer: Sendable {
    /// The edit was accepted.
    ///
    /// - Parameter row: The row that it wrote; nil if the answer has none: then the row is read.
    case accepted(ServerRow?)

    /// The server's row has another version.
    ///
    /// - Parameter row: The server's row; nil if the answer has none: then the row is read.
    case conflicted(ServerRow?)

    /// The edit was refused for its content, and nothing was written.
    ///
    /// - Parameters:
    ///   - status: The HTTP status, such as 422.
    ///   - reason: The server's reason, as a text for the user.
    case refused(status: Int, _ reason: String)

    /// The server may have accepted the edit or not. The edit is sent again unchanged.
    case unknown
}

/// The answer to a request that wrote edits and read changes.
public struct RowExchange: Sendable {
    /// An answer for each edit, in their order.
    public var answers: [RowAnswer]

    /// The changes.
    public var changes: RowChanges

    /// Makes an answer.
    public init(answers: [RowAnswer], changes: RowChanges) {
        self.answers = answers
        self.changes = changes
    }
}
