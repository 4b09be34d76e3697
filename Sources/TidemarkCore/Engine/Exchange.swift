import TidemarkJSON
import TidemarkMachine

/// What the engine knows of the exchange of one collection, beyond the store. A new process begins with nothing under
/// way; it knows only the trouble that the last one was in.
struct Exchange {
    /// Where the exchange stands.
    var phase = ExchangePhase.idle

    /// The exchange that is out; any other answer is late.
    var token = 0

    /// The pk of each upload that is out, by request id.
    var posted: [String: String] = [:]

    /// The one pk that was posted alone; nil otherwise.
    var lone: String? {
        self.posted.count == 1 ? self.posted.values.first : nil
    }

    /// How many edits go at a time: fewer after a batch failed as a whole.
    var batchSize: Int?

    /// How many rows a page brings: fewer after an answer was too large.
    var pageSize: Int?

    /// Whether a POST failed as a whole, so that the feed is read before the next one (SPEC §3.1).
    var readsFirst = false

    /// How many POSTs failed in a row that may have failed for what they carried.
    var failedPosts = 0

    /// What the records say that failed alone (SPEC §3.6).
    var loners = LoneFailures()

    /// The way of this sync through the feed.
    var walk = FeedWalk()

    /// What the server refused and a policy wants sent again, with how often that was so far. It waits for the next sync.
    var postponed: [CodePointString: Int] = [:]

    /// How often a change came back since other fields of its record had changed meanwhile, until the server takes it.
    var contended: [CodePointString: Int] = [:]

    /// Records that the store holds in a form that can't be read: they are left out of this sync.
    var damaged: Set<CodePointString> = []

    /// How long a policy wants to wait; nil for what the server asked for, or the back-off.
    var wait: Duration?

    /// How many tries failed in a row.
    var attempts = 0

    /// Until when the exchange waits, from 1970-01-01T00:00:00Z.
    var until: Duration?

    /// Whether a sync is going on, so that its end has to be told.
    var report: CollectionReport?

    /// How many rows this sync brought.
    var received = 0

    /// How many rows are still to come; nil when the server did not say.
    var left: Int?

    /// How often this sync began a listing from the start.
    var listings = 0

    /// Whether the app let a sync go on that was paused since the server went back (SPEC §6).
    var maySyncAfterWentBack = false

    /// The last request that went out before credentials were renewed; nil once the answer to a later one has shown whose
    /// they are. What comes to an older request says nothing of the new ones.
    var renewedAfter: Int?

    /// Whether credentials were renewed and no answer has shown yet whose they are.
    var isAccountInDoubt: Bool { self.renewedAfter != nil }

    /// What the store holds of the trouble that the exchange is in.
    var savedTrouble: String?

    /// What failed last; after a cancellation, that.
    var failure: RemoteFailure?

    /// What the last POST that failed failed with; nil once one has worked.
    var postFailure: RemoteFailure?

    /// Nothing that failed counts any more.
    mutating func forgetFailures() {
        self.attempts = 0
        self.failure = nil
        self.postFailure = nil
        self.failedPosts = 0
    }

    /// Takes fewer edits at a time.
    mutating func bisect() {
        guard !self.posted.isEmpty else { return }
        self.batchSize = max(1, self.posted.count / 2)
    }

    /// Takes fewer rows at a time.
    mutating func shorten(_ limits: SyncLimits) {
        self.pageSize = max(1, (self.pageSize ?? limits.pageSize) / 2)
    }

    /// Whether less can be asked for than in the request that is out.
    func canAskForLess(_ limits: SyncLimits) -> Bool {
        self.posted.count > 1 || (self.pageSize ?? limits.pageSize) > 1
    }
}

// MARK: - Contention

extension Exchange {
    /// Counts that a change came back although nothing clashed. It goes out again at once, but not without end: after so
    /// many tries it waits for the next sync, longer each time. It is never held for it (SPEC §3.3).
    mutating func postponeIfContended(_ pk: String, every limit: Int) {
        let name = CodePointString(pk)
        let count = self.contended[name, default: 0] + 1
        self.contended[name] = count
        if count.isMultiple(of: max(1, limit)) { self.postponed[name] = count / max(1, limit) }
    }

    /// Why changes wait for the next sync.
    func reasonToPostpone(_ count: Int) -> RemoteFailure {
        let changes = count == 1 ? "1 change" : "\(count) changes"
        let isContended = self.postponed.keys.allSatisfy { self.contended[$0] != nil }
        return isContended
            ? RemoteFailure(.busy, "Other devices were faster again and again; \(changes) will be sent again.")
            : RemoteFailure(.refused, "The server refused \(changes), to be sent again.")
    }
}
