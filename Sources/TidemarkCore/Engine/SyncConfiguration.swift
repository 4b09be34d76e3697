public import TidemarkJSON
public import TidemarkRules

/// How a client syncs: what decides conflicts, how much goes at a time, how long it waits.
///
/// ```swift
/// var configuration = SyncConfiguration()
/// configuration["prices"].tactic = .takeServer
/// configuration["notes"].fields = try FieldRules([("/seen", .server)])
/// ```
public struct SyncConfiguration: Sendable {
    /// What holds for a collection that is not named.
    public var rules: CollectionRules

    /// What holds for the collections that are named. Two names that only look alike are two (SPEC §4).
    public var collections: [CodePointString: CollectionRules]

    /// How much goes at a time, and how often.
    public var limits: SyncLimits

    /// How long a client waits after a failure.
    public var retry: any RetryPolicy

    /// What becomes of a failure, by its class.
    public var policies: FailurePolicies

    /// What becomes of confirmed values that a server has lost because it went back to an earlier state (SPEC §6).
    public var serverWentBack: ServerWentBackPolicy

    /// How many entries the journal of a collection keeps; nil keeps them all. The oldest are forgotten first.
    public var journalLimit: Int?

    /// How many transitions of the machines the store keeps, so that what went wrong on a device can be replayed elsewhere
    /// (``SyncTrace``): the last ones, and a few more. None where it is nil: what was kept before is removed then.
    public var traceLimit: Int?

    /// The promises that the app does without, where a server can't keep them (SPEC §12): a client is not made before they are
    /// named here. See ``RemoteCapabilities/mustBeAccepted``.
    public var accepts: Set<SyncPromise>

    /// Makes a configuration.
    public init(
        rules: CollectionRules = CollectionRules(), collections: [CodePointString: CollectionRules] = [:],
        limits: SyncLimits = SyncLimits(),
        retry: any RetryPolicy = Backoff(), policies: FailurePolicies = FailurePolicies(),
        serverWentBack: ServerWentBackPolicy = .journal, journalLimit: Int? = nil, traceLimit: Int? = nil,
        accepts: Set<SyncPromise> = []
    ) {
        self.rules = rules
        self.collections = collections
        self.limits = limits
        self.retry = retry
        self.policies = policies
        self.serverWentBack = serverWentBack
        self.journalLimit = journalLimit
        self.traceLimit = traceLimit
        self.accepts = accepts
    }

    /// The rules of a collection; setting them names it.
    public subscript(collection: String) -> CollectionRules {
        get { self.collections[CodePointString(collection)] ?? self.rules }
        set { self.collections[CodePointString(collection)] = newValue }
    }
}

/// Everything has a limit with a name (SPEC §3.7).
public struct SyncLimits: Hashable, Sendable {
    /// How many edits one POST carries at most.
    public var batchSize = 100

    /// How many bytes of edits one POST carries at most, unless one edit alone is larger.
    public var bodySize = 4 << 20

    /// How many bytes of records one POST asks the server to answer with, unless one record alone is larger: what it
    /// carries, or what is known of the record, whichever is more. Half of what `.http` takes in, since the answer
    /// brings the newer rows of the feed as well.
    public var answerSize = 64 << 20

    /// How many items one page brings at most.
    public var pageSize = 500

    /// How many pages in a row may bring no item and yet say that there is more (I8).
    public var emptyPages = 3

    /// The most known rows (rows that change nothing here) that one sync reads, in addition to the number of records here. Beyond
    /// that the feed counts as endless, and the exchange fails as `protocol` (I8). A deletion of a record that is not here is no
    /// known row.
    public var knownRows = 1_000

    /// How many bytes a watermark has at most, and the names of an epoch and of an account: they are saved, and sent
    /// with each request.
    public var watermarkSize = 4_096

    /// How long a server may ask to be left alone, whether by seconds or by a date.
    public var longestRetryAfter = RemoteFailure.RetryAfter.longest

    /// How often the server may call a change conflicted before it is held (SPEC §3.3).
    public var rounds = 5

    /// In how many batches a record may fail alone, while others pass, before it is held (SPEC §3.6).
    public var loneFailures = 3

    /// How many tries in a row have to bring no answer at all before it may be the doing of what they carry (SPEC §3.6):
    /// many, since a network is more often to blame. Only POSTs count: a GET that brings no answer carries nothing.
    public var silentTries = 5

    /// How many lost histories one sync follows, and how many listings that a server begins by itself, before it waits (SPEC §6, I8).
    public var listings = 3

    /// How often a page with items that make no sense is asked for before these are set aside (SPEC §3.5).
    public var malformedTries = 3

    /// How many confirmed removals of this device the store keeps of a collection. A server that went back is found to have
    /// undone these, and no older ones (SPEC §6).
    public var removals = 10_000

    /// How many bytes a pk or the name of a collection has at most; the server's `ServerLimits` say the same.
    public var nameSize = 512

    /// The limits as they are by default.
    public init() {}
}
