public import TidemarkJSON
public import TidemarkRules

/// The settings of a client: rules for conflicts, limits, waits and policies.
///
/// ```swift
/// var configuration = SyncConfiguration()
/// configuration["prices"].tactic = .takeServer
/// configuration["notes"].fields = try FieldRules([("/seen", .server)])
/// ```
public struct SyncConfiguration: Sendable {
    /// The rules of every collection that ``collections`` does not name.
    public var rules: CollectionRules

    /// The rules of the named collections. Names are compared by code point (Contract §4).
    public var collections: [CodePointString: CollectionRules]

    /// The limits.
    public var limits: SyncLimits

    /// The back-off after a failure.
    public var retry: any RetryPolicy

    /// The policy of each class of failure.
    public var policies: FailurePolicies

    /// The policy for confirmed values that a server has lost because it was rolled back to an earlier state (Contract §6).
    public var serverRolledBack: ServerRollbackPolicy

    /// For how long after the server accepted a value of this device it is journalled if another client replaces it, or deletes
    /// the record (``JournalEntry/Reason/replaced``); nil journals none. At most 365 days.
    ///
    /// Without it the journal has the values that lost in a conflict on this device. A conflict is decided on the device that syncs
    /// last: there the other user's value may win, and here it arrives as an ordinary change. With it the other user's later change
    /// is journalled, too: the two can't be told apart here. Values under a rule that keeps both changes (`.sum`, `.list`,
    /// `.union`,
    /// `.text`, `.keyed`) are not watched, nor is a value that this device has itself replaced since.
    ///
    /// The store keeps each accepted value a second time for that long (``SyncLimits/watchedValues`` for a record), a pull looks up
    /// each received record once more while any value is watched, and a sync reads up to a page of watched records at its end.
    /// A server that may lose acknowledged edits is watched for that alone, for as long as it declares.
    public var journalsReplacedFor: Duration?

    /// The maximum number of journal entries of a collection; nil keeps all. The oldest are removed first.
    public var journalLimit: Int?

    /// The number of state machine transitions that the store keeps, so that a failure on a device can be replayed elsewhere
    /// (``SyncTrace``): the last ones, and a few more. Nil keeps none, and removes earlier ones.
    public var traceLimit: Int?

    /// The guarantees that the app does without, if a server can't keep them (Contract §12): otherwise no client can be made. See
    /// ``RemoteCapabilities/guaranteesNotKept``.
    public var accepts: Set<SyncGuarantee>

    /// Whether references may be declared although the server makes the names of new records: it never hears the pk that a reference
    /// has, unless it keeps the pk of each record in a member, and resolves references by that (Contract §11).
    public var acceptsUntranslatedReferences = false

    /// Whether this client is a guest: it uses the store of another program, the owner, whose rules it need not know. A widget, a share
    /// sheet or a notification service is one, as is any client that is made with `remote: .none`.
    ///
    /// A guest reads, edits and, with a remote, syncs; it decides nothing and removes nothing (Contract §13):
    ///
    /// - No tactic runs. A conflict stays open until the owner's next sync, unless the user resolves it in the guest. The policies
    ///   ``FailurePolicies/refused`` and ``serverRolledBack`` are not used: a refused change is held, and a rolled-back server
    ///   pauses the sync, which the owner then does.
    /// - Limits of the journal, of removals and of the trace are not applied. A trace is continued if the store has one.
    /// - Indexes, references and tables of projections stay those of the owner. What the guest can't keep equal to the records, the
    ///   owner corrects at its next opening.
    /// - An accepted value is not watched (``journalsReplacedFor``); those that the owner watches are.
    ///
    /// > Important: Changes of both sides to different fields are merged, and equal changes of one field count once. If the owner has
    /// > rules for fields (``CollectionRules/fields``), give the same ones to a guest that syncs, since a `.sum` needs them to count two
    /// > equal additions twice; and to a guest that edits arrays through types, since `.keyed` says which elements are the same.
    public var isGuest = false

    /// Called for each ``Event`` of the client: a sync began or ended, a conflict, a held record, a rolled-back server, a pause, and
    /// the run loop. Nil for no calls.
    ///
    /// ```swift
    /// configuration.onEvent = { event in print(event) }
    /// ```
    ///
    /// It is called on the client's executor after the change is stored, never within a transaction, and the client waits until it
    /// returns: it must only pass the event on. It can't call the client itself, except from a task. ``SyncClient/statuses`` and
    /// ``SyncCollection/changes`` follow the state.
    public var onEvent: (@Sendable (Event) -> Void)?

    /// Whether collections keep the indexes that they have in the store, whatever their rules: for a tool that may be the only user of
    /// a store, so that it decides conflicts as an owner does, and has no rules about indexes.
    package var keepsIndexes = false

    /// Whether the store is a copy of one that another process has open: then an upload of no request of this process can be in
    /// one of that process, and its record is shown in the phase that is stored.
    package var readsCopy = false

    /// Makes a configuration.
    public init(
        rules: CollectionRules = CollectionRules(), collections: [CodePointString: CollectionRules] = [:],
        limits: SyncLimits = SyncLimits(),
        retry: any RetryPolicy = Backoff(), policies: FailurePolicies = FailurePolicies(),
        serverRolledBack: ServerRollbackPolicy = .journal, journalsReplacedFor: Duration? = nil,
        journalLimit: Int? = nil, traceLimit: Int? = nil,
        accepts: Set<SyncGuarantee> = [], onEvent: (@Sendable (Event) -> Void)? = nil
    ) {
        self.rules = rules
        self.collections = collections
        self.limits = limits
        self.retry = retry
        self.policies = policies
        self.serverRolledBack = serverRolledBack
        self.journalsReplacedFor = journalsReplacedFor
        self.journalLimit = journalLimit
        self.traceLimit = traceLimit
        self.accepts = accepts
        self.onEvent = onEvent
    }

    /// The rules of a collection; setting them names it.
    public subscript(collection: String) -> CollectionRules {
        get { self.collections[CodePointString(collection)] ?? self.rules }
        set { self.collections[CodePointString(collection)] = newValue }
    }
}

/// The limits, each with a name (Contract §3.7).
public struct SyncLimits: Hashable, Sendable {
    /// The maximum number of edits in one POST.
    public var batchSize = 100

    /// The maximum size of the edits in one POST, in bytes, unless one edit alone is larger.
    public var bodySize = 4 << 20

    /// The maximum size of the records that the server has to return for one POST, in bytes, unless one record alone is larger:
    /// of each record the edit or the confirmed content counts, whichever is larger. Half of the limit of `.http`, because the
    /// answer contains newer feed rows as well.
    public var answerSize = 64 << 20

    /// The maximum number of items in one page.
    public var pageSize = 500

    /// The maximum number of consecutive GETs with a page without an item for which the server reports more rows (I8).
    public var emptyPages = 3

    /// The maximum number of known rows (rows that change nothing here) that the GETs of one sync read, in addition to the number
    /// of records here. Beyond that the feed counts as endless, and the exchange fails as ``FailureClass/invalidAnswer`` (I8). A
    /// deletion of an absent record is not a known row.
    public var knownRows = 1_000

    /// The maximum size of a cursor, of an epoch and of an account, in bytes: they are saved, and sent with each request.
    public var cursorSize = 4_096

    /// The maximum of a server's `Retry-After`, in seconds or as a date: a longer wait is reduced to it.
    public var longestRetryAfter = RemoteFailure.RetryAfter.longest

    /// How often the server may answer a change with a conflict before it is held (Contract §3.3).
    public var rounds = 5

    /// In how many batches a record may fail alone, while others succeed, before it is held (Contract §3.6).
    public var poisonFailures = 3

    /// The number of consecutive tries without any answer before an edit in them counts as the possible cause (Contract §3.6):
    /// many, because a network is more often the cause. Only POSTs count: a GET contains no edits.
    public var unansweredPosts = 5

    /// The maximum number of lost histories that one sync follows, and of full resyncs that a server begins by itself, before
    /// it waits (Contract §6, I8).
    public var fullResyncs = 3

    /// The maximum number of answers larger than the limit of the remote that one sync receives. After each it requests an eighth
    /// of the rows, and half of the edits; after the last it waits, and the next sync continues so. With `.http` these are
    /// `HTTPRemote.Options.answerLimit` bytes each.
    public var oversizedAnswers = 3

    /// How often a page with malformed items is requested before these are quarantined (Contract §3.5).
    public var malformedTries = 3

    /// The number of confirmed deletions (of records and of members) by this device that the store keeps for each collection.
    /// After a rollback of the server only these are checked for having come back, and no older ones (Contract §6).
    public var removals = 10_000

    /// The number of accepted values of one record that are watched for a replacement by another client
    /// (``SyncConfiguration/journalsReplacedFor``): those of its newest change first.
    public var watchedValues = 100

    /// The number of entries for replaced values (``JournalEntry/Reason/replaced``) that the journal of a collection keeps. The
    /// oldest are removed first.
    public var replacedValues = 1_000

    /// The number of records that one record may name by references, and that are waited for: the first in the order of their names
    /// (``CollectionRules/references``).
    public var referenceNames = 1_000

    /// The maximum number of waiting records that are searched for a ring, or for a held one, at the end of a sync. Records in a ring
    /// that is not found wait for each other until fewer wait.
    public var referenceDepth = 10_000

    /// The maximum number of records that one `transaction` of ``SyncClient`` changes, and that a query within it returns, at least
    /// 1; use `upsert` of ``SyncCollection`` for more.
    public var transactionRecords = 1_000

    /// The maximum number of records that the queries of one transaction read: all other calls of the client wait for it. A query
    /// with an index reads few records besides those that it returns.
    public var transactionReads = 10_000

    /// The maximum size of a pk and of a collection's name, in bytes; the server's `ServerLimits` have the same.
    public var nameSize = 512

    /// The maximum nesting of arrays and objects in a record that the app writes; the server's `ServerLimits.recordDepth` is the
    /// same. It is below `JSON.Limits.nestingDepth`, because a patch and a request nest the record a few levels deeper.
    public let recordDepth = 500

    /// The limits of queries and indexes.
    public var queries = RecordQuery.Limits()

    /// Makes the default limits.
    public init() {}
}
