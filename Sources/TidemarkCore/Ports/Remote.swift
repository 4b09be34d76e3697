public import TidemarkJSON
public import TidemarkMachine

/// The server, as a client sees it.
///
/// **Choose.** `.http(url, token:)` speaks the wire of SPEC §5; `InProcessRemote` of `TidemarkTesting` asks a server
/// core in the same process.
///
/// **Write your own.** Carry one request to a server and bring back its answer, or the class of what failed. Do not
/// retry, do not wait, do not change what an edit says: the engine does all of that. Whether a POST arrived is known
/// only from its answer, so any failure after the first byte was sent is ``FailureClass/offline`` or
/// ``FailureClass/busy``, never "refused". A task that is cancelled fails with ``FailureClass/cancelled`` at once.
///
/// **Test it.** Run `RemoteConformance` of `TidemarkTesting` on it.
public protocol Remote: Sendable {
    /// What the server can be trusted with (SPEC §12); ``RemoteCapabilities/native`` where nothing is said, which promises
    /// everything. It is asked for when a client is made, and does not change.
    var capabilities: RemoteCapabilities { get }

    /// Carries out one exchange.
    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer

    /// Listens to the server's hints about collections, until the server ends it, it breaks off, or the task is cancelled
    /// (SPEC §10). A remote that does not say how has none, and its server is asked from time to time.
    ///
    /// Say at the beginning of each collection how it stands, then whenever it has moved, and now and then
    /// ``RemoteHint/alive``. Hints may be lost, repeated, late or out of order, and may be about collections that were not asked
    /// for. Do not try again, and do not wait: the client does that.
    ///
    /// ```swift
    /// func hints(
    ///     for collections: [String], hear: @escaping @Sendable (RemoteHint) -> Void
    /// ) async throws(RemoteFailure) -> HintsEnd {
    ///     for name in collections { hear(.moved(collection: name, watermark: nil)) }
    ///     for await name in office.news { hear(.moved(collection: name, watermark: nil)) }
    ///     return .ended
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - collections: What is watched.
    ///   - hear: Gets what is heard, from any thread, one after the other; it returns at once.
    /// - Returns: How it ended where it did not break off.
    func hints(
        for collections: [String], hear: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> HintsEnd
}

extension Remote {
    /// No hints.
    public func hints(
        for collections: [String], hear: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> HintsEnd {
        .never
    }

    /// A server that keeps the rules of SPEC §5.
    public var capabilities: RemoteCapabilities { .native }
}

/// One request to a server: GET without edits, POST with them (SPEC §5).
public struct ExchangeRequest: Hashable, Sendable {
    /// The collection.
    public var collection: String

    /// The edits to post, in their order; empty for a GET.
    public var uploads: [UploadRequest]

    /// Where the feed was read to; nil the first time.
    public var watermark: String?

    /// The newest token that the client was shown, where that is not ``watermark``; nil otherwise.
    ///
    /// It is the ``ExchangeAnswer/watermark`` of an answer after which the cursor stayed, or, in the first request of a full
    /// resync, of the last answer before that. Rows are not read from it. A remote whose server can tell that it has lost the state
    /// of that answer throws ``FailureClass/historyLost`` before it writes anything (W8), and declares
    /// ``RemoteCapabilities/judgesSeen``; every other remote ignores it.
    public var seen: String?

    /// How many items to bring at most.
    public var limit: Int

    /// Whether to say how many rows follow the page. A sync asks until it is told, and a full resync asks anew; not with each
    /// request, since a server has to count for it (SPEC §5).
    public var countsRows: Bool

    /// Whose data and which history the store holds. A remote whose server takes edits under whatever watermark looks at
    /// the server's first, and where it is another one, throws ``FailureClass/identityChanged`` or
    /// ``FailureClass/historyLost`` before it writes anything. The wire of SPEC §5 needs nothing of it: its server refuses
    /// the watermark of another history or account before any edit is applied (W8), and the engine compares each answer.
    public var known: ServerIdentity

    /// Makes a request.
    public init(
        collection: String, uploads: [UploadRequest] = [], watermark: String?, seen: String? = nil, limit: Int,
        countsRows: Bool = false, known: ServerIdentity = ServerIdentity()
    ) {
        self.collection = collection
        self.uploads = uploads
        self.watermark = watermark
        self.seen = seen
        self.limit = limit
        self.countsRows = countsRows
        self.known = known
    }
}

/// Whose data it is, and which history of the collection: what the answers so far have named.
public struct ServerIdentity: Hashable, Sendable {
    /// ``ExchangeAnswer/account``; nil before the first answer.
    public var account: String?

    /// ``ExchangeAnswer/epoch``; nil before the first answer for the collection.
    public var epoch: String?

    /// Names an account and an epoch.
    public init(account: String? = nil, epoch: String? = nil) {
        self.account = account
        self.epoch = epoch
    }
}

/// The answer to one request.
public struct ExchangeAnswer: Sendable {
    /// What became of the edits, in their order. A result that makes no sense is left out: such an answer fails as
    /// ``FailureClass/protocol``. What no one can know is ``UploadResult/Outcome/unknown``.
    public var results: [UploadResult]

    /// The rows that are newer than the watermark of the request.
    public var page: FeedPage

    /// The watermark to go on from.
    public var watermark: String

    /// Whether there are more rows after this page.
    public var hasMore: Bool

    /// How many rows follow this page, where the remote knows it; for showing how far a sync is.
    public var left: Int?

    /// The server's history; another one means that this one is lost.
    public var epoch: String

    /// Whose data this is; opaque. Another one means that the store belongs to someone else.
    public var account: String

    /// Whether the page begins a listing of everything: what is not listed by its end, which is the next page without more,
    /// is gone (SPEC §6). For a server that has no feed of changes, or whose feed forgets deletions. Such a listing names what
    /// the results brought, too.
    public var beginsListing = false

    /// How long the server wants to be left alone, though it answered; nil where it does not. Until then nothing more is
    /// asked: a sync that has more to do waits, and the next one says how long.
    public var wait: Duration?

    /// What the server has to tell a person, such as that it will be switched off: for ``CollectionReport/notices``.
    public var notices: [String] = []

    /// What failed after some of the exchange had worked. The results so far count, edits without one are in doubt as after
    /// any failure, and the page is not read. A remote that declares ``RemoteCapabilities/judgesSeen`` gives the server's newest
    /// token as the watermark, or an empty one.
    public var failure: RemoteFailure?

    /// How many requests to the server it took: for ``CollectionReport/requests`` (I8).
    public var requests = 1

    /// Makes an answer.
    public init(
        results: [UploadResult] = [], page: FeedPage = .empty, watermark: String, hasMore: Bool = false, epoch: String,
        account: String, left: Int? = nil
    ) {
        self.results = results
        self.page = page
        self.watermark = watermark
        self.hasMore = hasMore
        self.left = left
        self.epoch = epoch
        self.account = account
    }
}

/// What became of one edit.
public struct UploadResult: Hashable, Sendable {
    /// What the server said.
    public enum Outcome: Hashable, Sendable {
        /// It was taken; this is the row that the write made.
        ///
        /// A server that repeats an answer may show the present row, or its tombstone. A remote that reads the row after the
        /// write declares ``RemoteCapabilities/Condition/checkedFirst(watch:)``. Of a delete it shows a row only if another
        /// writer has created the record since.
        case accepted(StoredVersion)

        /// It was made on another version; this is what the server has (W2).
        case conflicted(StoredVersion)

        /// It was refused for its content.
        case refused(ProblemDetails)

        /// No one knows whether it was taken, and the server works all the same: its batch lies or broke off, or it did not
        /// come to this one. This edit alone is in doubt: it is sent again as it is, first (R17), and the others count.
        ///
        /// Where it was taken and its row is known, bring that row in the page. An answer in which nothing is known of any
        /// edit is one that failed as ``FailureClass/busy``: it has its wait, or else no sending again would end (I8).
        case unknown
    }

    /// The id of the edit.
    public var requestID: String

    /// What the server said.
    public var outcome: Outcome

    /// The name that the server gave the record, where it makes the names; nil where pk is the name, or it says none.
    public var name: String?

    /// Makes a result.
    public init(requestID: String, outcome: Outcome, name: String? = nil) {
        self.requestID = requestID
        self.outcome = outcome
        self.name = name
    }
}

/// A problem document (RFC 9457), with its extension members.
public struct ProblemDetails: Hashable, Sendable {
    /// The HTTP status that goes with it.
    public var status: Int

    /// What is wrong, for a person.
    public var title: String

    /// The whole document: a JSON object.
    public var document: JSON

    /// Makes a problem.
    public init(status: Int, title: String, document: JSON) {
        self.status = status
        self.title = title
        self.document = document
    }
}

/// Why an exchange brought no answer that counts.
public struct RemoteFailure: Error, Hashable, Sendable {
    /// When a server wants to be asked again (RFC 9110 §10.2.3).
    public enum RetryAfter: Hashable, Sendable {
        /// After some time.
        case delay(Duration)

        /// At a time, counted from 1970-01-01T00:00:00Z.
        case time(Duration)

        /// The longest wait that is believed: a day. A server that says more has made a mistake, or its clock is wrong.
        public static let longest = Duration.seconds(86_400)
    }

    /// Who or what can have caused a failure.
    public typealias Blame = FailureBlame

    /// The class, which has a policy (SPEC §3.5).
    public var failureClass: FailureClass

    /// What happened and what to do, for a person.
    public var message: String

    /// The server's problem document; nil when it sent none.
    public var problem: ProblemDetails?

    /// When to try again; nil when the server did not say.
    public var retryAfter: RetryAfter?

    /// Of ``FailureClass/historyLost``: whether the server has lost what it acknowledged, as after a restored backup, and
    /// not only forgotten deletions that are long past (SPEC §6).
    public var serverWentBack: Bool

    /// Whose data the server says it is about; nil where it does not say. Where that is another account than the store's, the
    /// failure is taken as ``FailureClass/identityChanged``, whatever else it is (SPEC §3.5).
    public var account: String?

    /// Who or what can have caused it.
    public var blame: Blame

    /// Makes a failure.
    public init(
        _ failureClass: FailureClass, _ message: String, problem: ProblemDetails? = nil, retryAfter: RetryAfter? = nil,
        serverWentBack: Bool = false, account: String? = nil, blame: Blame = .unknown
    ) {
        self.failureClass = failureClass
        self.message = message
        self.problem = problem
        self.retryAfter = retryAfter
        self.serverWentBack = serverWentBack
        self.account = account
        self.blame = blame
    }
}

extension RemoteFailure: Codable {
    /// The longest message that is kept: a server may say a lot.
    private static let messageSize = 1_024

    private enum Member: String, CodingKey {
        case failureClass = "class"
        case message
    }

    /// Reads what ``encode(to:)`` has written.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        let name = try members.decode(String.self, forKey: .failureClass)
        guard let failureClass = FailureClass(rawValue: name) else {
            throw DecodingError.dataCorruptedError(
                forKey: .failureClass, in: members, debugDescription: "“\(name)” is no class of failure")
        }
        self.init(failureClass, try members.decode(String.self, forKey: .message))
    }

    /// Writes what a later process tells a person: the class, and the first 1,024 characters of the message.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(self.failureClass.rawValue, forKey: .failureClass)
        try members.encode(String(self.message.prefix(Self.messageSize)), forKey: .message)
    }
}

extension RemoteFailure: CustomStringConvertible {
    /// The message.
    public var description: String { self.message }
}
