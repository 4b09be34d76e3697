public import TidemarkJSON
public import TidemarkMachine

/// The server, as a client uses it.
///
/// **Choose.** `.http(url, token:)` uses the wire format of Contract §5; `InProcessRemote` of `TidemarkTesting` calls a server core
/// in the same process.
///
/// **Write your own.** Send one request to a server and return its answer, or the class of the failure. Do not retry, do not
/// wait, do not change the content of an edit: the engine does all of that. Only the answer shows whether a POST arrived, so
/// any failure after the first byte was sent is ``FailureClass/offline`` or ``FailureClass/busy``, never "refused". A cancelled
/// task fails with ``FailureClass/cancelled`` at once.
///
/// **Test it.** Run `RemoteConformance` of `TidemarkTesting` on your remote.
public protocol Remote: Sendable {
    /// The properties of the server on which the guarantees depend (Contract §12). A client reads them when it is made and at
    /// `renew(remote:)`, and they must not change. There is no default: a property that is declared and not true loses data
    /// silently.
    var capabilities: RemoteCapabilities { get }

    /// Carries out one exchange.
    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer

    /// Listens to the server's change notifications about collections, until the server ends the stream, the connection breaks,
    /// or the task is cancelled (Contract §10). A remote without this function has no notifications: its server is polled.
    ///
    /// Report the state of each collection at the beginning, then each change, and regularly ``RemoteHint/alive``.
    /// Notifications may be lost, repeated, late or out of order, and may be about other collections. Do not retry, and do not
    /// wait: the client does that.
    ///
    /// ```swift
    /// func hints(
    ///     for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    /// ) async throws(RemoteFailure) -> RemoteHint.End {
    ///     for name in collections { onHint(.moved(collection: name, cursor: nil)) }
    ///     for await name in office.news { onHint(.moved(collection: name, cursor: nil)) }
    ///     return .ended
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - collections: The collections to watch.
    ///   - onHint: Receives each notification, from any thread, one after the other; it returns at once.
    /// - Returns: Why listening ended, if no error is thrown.
    func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End
}

extension Remote {
    /// A remote without change notifications.
    public func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        .never
    }
}

/// One request to a server: GET without edits, POST with them (Contract §5).
public struct ExchangeRequest: Hashable, Sendable {
    /// The name of the collection.
    public var collection: String

    /// The edits to post, in their order; empty for a GET.
    public var uploads: [UploadRequest]

    /// The cursor up to which the feed was read; nil the first time.
    public var cursor: String?

    /// The newest cursor that the client has received, if it differs from ``cursor``; nil otherwise.
    ///
    /// It is the ``ExchangeAnswer/cursor`` of an answer after which the cursor stayed, or, in the first request of a full
    /// resync, of the last answer before that. It does not select rows. If the server can detect that it has lost the state at
    /// the time of that answer, the remote throws ``FailureClass/historyLost`` before it writes anything (W8), and declares
    /// ``RemoteCapabilities/judgesSeen``; every other remote ignores it.
    public var seen: String?

    /// The maximum number of items in the answer.
    public var limit: Int

    /// Whether the answer should contain the number of rows after the page. A sync sets it until an answer has the number,
    /// and a full resync sets it again; not each request has it, because the server has to count (Contract §5).
    public var countsRows: Bool

    /// The account and the history of the data in the store. A remote whose server accepts edits with any cursor reads the
    /// server's account and history first, and throws ``FailureClass/identityChanged`` or ``FailureClass/historyLost`` before
    /// it writes anything if they differ. The wire of Contract §5 does not need this: its server refuses the cursor of another
    /// history or account before any edit is applied (W8), and the engine compares each answer.
    public var known: ServerIdentity

    /// Makes a request.
    public init(
        collection: String, uploads: [UploadRequest] = [], cursor: String?, seen: String? = nil, limit: Int,
        countsRows: Bool = false, known: ServerIdentity = ServerIdentity()
    ) {
        self.collection = collection
        self.uploads = uploads
        self.cursor = cursor
        self.seen = seen
        self.limit = limit
        self.countsRows = countsRows
        self.known = known
    }
}

/// The account and the history of a collection that the answers so far have named.
public struct ServerIdentity: Hashable, Sendable {
    /// ``ExchangeAnswer/account``; nil before the first answer.
    public var account: String?

    /// ``ExchangeAnswer/epoch``; nil before the first answer for the collection.
    public var epoch: String?

    /// Makes a value of an account and an epoch.
    public init(account: String? = nil, epoch: String? = nil) {
        self.account = account
        self.epoch = epoch
    }
}

/// The answer to one request.
public struct ExchangeAnswer: Sendable {
    /// The results of the edits, in their order. A malformed result is left out: such an answer fails as
    /// ``FailureClass/invalidAnswer``. An unknown outcome is ``UploadResult/Outcome/unknown``.
    public var results: [UploadResult]

    /// The rows that are newer than the cursor of the request.
    public var page: FeedPage

    /// The cursor for the next request.
    public var cursor: String

    /// Whether there are more rows after this page.
    public var hasMore: Bool

    /// The number of rows after this page, if the remote knows it; used to show progress.
    public var left: Int?

    /// The server's history; if it changes, the old history is lost.
    public var epoch: String

    /// The account of the data; opaque. If it differs, the store belongs to another account.
    public var account: String

    /// Whether the page begins a full resync: a record that is in no page, from this page to the next one without more, is
    /// deleted (Contract §6). For a server that has no feed of changes, or whose feed forgets deletions. The pages also contain the
    /// records of the results.
    public var beginsResync = false

    /// How long the client must send no further request, although the server answered; nil if the server does not ask for
    /// that. The client is throttled until then: a sync that has more to do ends with the time of the next try.
    public var wait: Duration?

    /// The server's messages for the user, for example that it will be switched off: for ``CollectionReport/notices``.
    public var notices: [String] = []

    /// The failure after a part of the exchange had succeeded. The results count, edits without a result are unconfirmed as
    /// after any failure, and the page is not read. A remote that declares ``RemoteCapabilities/judgesSeen`` returns the
    /// server's newest cursor as the cursor, or an empty one.
    public var failure: RemoteFailure?

    /// The number of requests that were sent to the server: for ``CollectionReport/requests`` (I8).
    public var requests = 1

    /// Makes an answer.
    public init(
        results: [UploadResult] = [], page: FeedPage = .empty, cursor: String, hasMore: Bool = false, epoch: String,
        account: String, left: Int? = nil
    ) {
        self.results = results
        self.page = page
        self.cursor = cursor
        self.hasMore = hasMore
        self.left = left
        self.epoch = epoch
        self.account = account
    }
}

/// The result of one edit.
public struct UploadResult: Hashable, Sendable {
    /// The server's decision.
    public enum Outcome: Hashable, Sendable {
        /// The edit was accepted; the value is the row that the edit wrote.
        ///
        /// A server that repeats an answer may return the present row, or its tombstone. A remote that reads the row after the
        /// write sets ``UploadResult/isReadBack``. For a delete, a remote returns a row only if another writer has created the
        /// record after the delete.
        case accepted(StoredVersion)

        /// The edit was made on another version; the value is the server's version (W2).
        case conflicted(StoredVersion)

        /// The edit was refused for its content.
        case refused(ProblemDetails)

        /// The server may have accepted the edit or not, although the server works: its batch failed or broke off, or did not
        /// reach this edit. Only this edit is unconfirmed: it is sent again unchanged, before others (R17); the other results
        /// count.
        ///
        /// If it was accepted and its row is known, return that row in the page. An answer in which the outcome of every edit
        /// is unknown is a failure of the class ``FailureClass/busy``: it has a back-off, without which the edits would be sent
        /// again without end (I8).
        case unknown
    }

    /// The request id of the edit.
    public var requestID: String

    /// The server's decision.
    public var outcome: Outcome

    /// The name that the server gave the record, if the server makes the names; nil if pk is the name, or the server did not
    /// return one.
    public var name: String?

    /// Whether the row of an accepted edit was read after the write, in another request: it may have later changes of another
    /// client, which are merged as those of the feed.
    public var isReadBack = false

    /// Makes a result.
    public init(requestID: String, outcome: Outcome, name: String? = nil) {
        self.requestID = requestID
        self.outcome = outcome
        self.name = name
    }
}

/// A problem document (RFC 9457), with its extension members.
///
/// The initializer cuts the server's texts for the user, so that all that is stored, shown and printed of them is bounded.
public struct ProblemDetails: Hashable, Sendable {
    /// The longest text of a server for the user, in Unicode scalars: 1,000. The rest is cut.
    public static let textSize = 1_000

    /// The largest document that is kept whole, in bytes: 64 KiB. Of a larger one only the short texts are kept.
    public static let documentSize = 65_536

    /// The longest name that a too large document keeps, in bytes: as long as an account may be (`SyncLimits.cursorSize`).
    static let nameSize = 4_096

    /// The HTTP status of the answer.
    public var status: Int

    /// The error, as a text for the user.
    public var title: String

    /// The document: a JSON object, with the title if it has neither `title` nor `detail`.
    public var document: JSON

    /// Makes problem details.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - title: The error, as a text for the user; it is shown as the reason of a hold.
    ///   - document: The server's document; an empty object if it sent none.
    public init(status: Int, title: String, document: JSON = [:]) {
        self.status = status
        self.title = title.cut(after: Self.textSize)
        self.document = Self.bounded(document)
        let hasWords = ["title", "detail"].contains { self.document[$0]?.string?.isEmpty == false }
        if !hasWords, !self.title.isEmpty { self.document["title"] = .string(JSONString(self.title)) }
    }

    /// Returns a document with its texts for the user cut. One that is no object, or too large, keeps only these texts and short
    /// names for programs.
    package static func bounded(_ document: JSON) -> JSON {
        guard let members = document.object else { return [:] }
        let isLarge = document.bytes.count > Self.documentSize
        var kept = isLarge ? JSONObject() : members
        for name in ["title", "detail"] {
            if let text = members[name]?.string { kept[name] = .string(JSONString(text.cut(after: Self.textSize))) }
        }
        guard isLarge else { return .object(kept) }
        // A name that is cut would be another name.
        for name in ["type", "code", "account"] {
            if let text = members[name]?.string, text.utf8.count <= Self.nameSize { kept[name] = members[name] }
        }
        return .object(kept)
    }
}

/// Why an exchange has no valid answer.
public struct RemoteFailure: Error, Hashable, Sendable {
    /// When a server wants the next request (RFC 9110 §10.2.3).
    public enum RetryAfter: Hashable, Sendable {
        /// After a duration.
        case delay(Duration)

        /// At a time, since 1970-01-01T00:00:00Z.
        case time(Duration)

        /// The longest wait that the client accepts: a day. A server that asks for more has made a mistake, or its clock is
        /// wrong.
        public static let longest = Duration.seconds(86_400)
    }

    /// The possible cause of a failure.
    public typealias Blame = FailureBlame

    /// The class, which has a policy (Contract §3.5).
    public var failureClass: FailureClass

    /// What happened and what to do, as a text for the user.
    public var message: String

    /// The server's problem document; nil if the server sent none.
    public var problem: ProblemDetails?

    /// When to try again; nil if the server did not declare it.
    public var retryAfter: RetryAfter?

    /// For ``FailureClass/historyLost``: whether the server has lost acknowledged writes, as after a restored backup, and not
    /// only forgotten old deletions (Contract §6).
    public var serverRolledBack: Bool

    /// The account of the server's data; nil if the server did not declare it. If it is not the account of the store, the
    /// failure counts as ``FailureClass/identityChanged``, whatever its class is (Contract §3.5).
    public var account: String?

    /// The possible cause.
    public var blame: Blame

    /// Makes a failure.
    public init(
        _ failureClass: FailureClass, _ message: String, problem: ProblemDetails? = nil, retryAfter: RetryAfter? = nil,
        serverRolledBack: Bool = false, account: String? = nil, blame: Blame = .unknown
    ) {
        self.failureClass = failureClass
        self.message = message
        self.problem = problem
        self.retryAfter = retryAfter
        self.serverRolledBack = serverRolledBack
        self.account = account
        self.blame = blame
    }
}

extension RemoteFailure: ExchangeFailure {}

extension RemoteFailure: Codable {
    /// The longest stored message, in Unicode scalars: a server may send a long one.
    private static let messageSize = 1_024

    private enum Member: String, CodingKey {
        case failureClass = "class"
        case message
    }

    /// Reads a failure that ``encode(to:)`` has written.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        let name = try members.decode(String.self, forKey: .failureClass)
        guard let failureClass = FailureClass(rawValue: name) else {
            throw DecodingError.dataCorruptedError(
                forKey: .failureClass, in: members, debugDescription: "“\(name)” is not a class of failure")
        }
        self.init(failureClass, try members.decode(String.self, forKey: .message))
    }

    /// Writes the part that a later process shows to the user: the class, and the first 1,024 Unicode scalars of the message.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(self.failureClass.rawValue, forKey: .failureClass)
        try members.encode(self.message.cut(after: Self.messageSize), forKey: .message)
    }
}

extension RemoteFailure: CustomStringConvertible {
    /// The message.
    public var description: String { self.message }
}
