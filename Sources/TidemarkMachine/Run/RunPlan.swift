/// When the run loop syncs: its intervals and limits, by name (Contract §10).
///
/// ```swift
/// var plan = RunPlan()
/// plan.debounce = .seconds(2)             // a form that is saved field by field
/// plan.bytesPerHour = 20_000_000           // on a metered line
/// try await client.run(plan)
/// ```
public struct RunPlan: Hashable, Sendable {
    /// The debounce: how long after the last edit it is sent. While the user types, the edits make one request.
    public var debounce = Duration.milliseconds(500)

    /// The maximum debounce: how long after the first edit it is sent, even if more edits follow without a pause.
    public var maxDebounce = Duration.seconds(5)

    /// Without change notifications, the first polling interval. It doubles each time that a sync brought nothing; an edit, a
    /// received row, a change notification, or a sync of the app resets it.
    public var minPollInterval = Duration.seconds(15)

    /// The longest polling interval, unless ``idleRequestsPerHour`` requires a longer one.
    public var maxPollInterval = Duration.seconds(300)

    /// How many requests an hour an idle device may make for polling, over all its collections.
    ///
    /// A polling interval of five minutes makes twelve requests an hour, for one collection. An idle device makes ten at most,
    /// however many collections it has, so with the default the interval grows to six minutes for one collection, to twelve for
    /// two, and so on. If ``maxPollInterval`` shall be the longest interval for n collections, set this to 12 times n.
    public var idleRequestsPerHour = 10

    /// Jitter: how much longer than its interval a wait can be at random, as a fraction. So devices that were cut off together
    /// do not return together.
    public var jitter = 0.1

    /// While the credentials are rejected, the wait before they are tried again; it doubles each time.
    public var minCredentialRetry = Duration.seconds(60)

    /// The longest wait before rejected credentials are tried again.
    public var maxCredentialRetry = Duration.seconds(3_600)

    /// How many requests a device makes within an hour before no further sync starts; nil for any number. A running sync is not
    /// interrupted, so the last sync may exceed the number.
    ///
    /// A tenth of it is a reserve for edits of this device. The syncs that change notifications lead to keep an interval, which
    /// grows with the number of requests, so that the rest of the budget lasts for the hour: with the default about one second.
    public var requestsPerHour: Int? = 3_600

    /// How many bytes of records and of change notifications a device sends and receives within an hour before no further sync
    /// starts; nil for any number. The overhead of HTTP is not counted, and the bytes are counted before compression. It has
    /// the same reserve and pace as ``requestsPerHour``.
    public var bytesPerHour: Int?

    /// Whether the client uses change notifications if the server has them: then it syncs after a notification, and does not
    /// poll.
    public var usesHints = true

    /// How long the server may send nothing on the notification connection, not even a heartbeat, before it counts as broken.
    public var hintTimeout = Duration.seconds(45)

    /// The back-off before a broken notification connection is made again, at most; it doubles each time, with jitter. So
    /// clients that were cut off together do not return together.
    public var minReconnectWait = Duration.seconds(5)

    /// The longest back-off. A connection that lasted that long resets the back-off.
    public var maxReconnectWait = Duration.seconds(600)

    /// If the server has no change notifications, the wait before that is tried again; it doubles each time.
    public var minHintRetry = Duration.seconds(3_600)

    /// The longest wait before that is tried again.
    public var maxHintRetry = Duration.seconds(86_400)

    /// How long one notification connection is kept before it is made anew: each begins with the present state of all
    /// collections, so that no notification is lost for longer than this.
    public var maxHintConnection = Duration.seconds(3_600)

    /// How many events a server may send within a minute on the notification connection before the client ends it. It is made
    /// again after a wait, as a broken one is (``minReconnectWait``). Heartbeats count, and so does each chunk in which the
    /// events arrive.
    public var hintEventsPerMinute = 60_000

    /// How many bytes a server may send within a minute on the notification connection before the client ends it.
    public var hintBytesPerMinute = 8 << 20

    /// How many collections sync at the same time.
    public var collectionsAtOnce = 4

    /// The plan as it is by default.
    public init() {}
}

extension RunPlan {
    /// The wait until the server is polled again.
    ///
    /// - Parameters:
    ///   - idlePolls: How many syncs in a row brought nothing.
    ///   - moment: The random number, and how many collections share the limit of an idle device.
    func interval(afterIdlePolls idlePolls: Int, _ moment: RunMoment) -> Duration {
        let fair = Duration.seconds(3_600) * max(moment.collections, 1) / max(self.idleRequestsPerHour, 1)
        return self.spread(
            self.doubled(self.minPollInterval, idlePolls, upTo: max(self.maxPollInterval, fair)), moment)
    }

    /// The wait until rejected credentials are tried again.
    func probe(after probes: Int, _ moment: RunMoment) -> Duration {
        self.spread(self.doubled(self.minCredentialRetry, probes, upTo: self.maxCredentialRetry), moment)
    }

    /// The wait until a broken notification connection is made again.
    ///
    /// - Parameter breaks: How many times in a row it broke.
    package func hintWait(after breaks: Int, _ moment: RunMoment) -> Duration {
        let span = self.doubled(self.minReconnectWait, breaks, upTo: self.maxReconnectWait)
        return span * (0.1 + 0.9 * moment.chance)
    }

    /// The wait until a server without change notifications is tried again.
    ///
    /// - Parameter refusals: How many times in a row the server had none.
    package func hintProbe(after refusals: Int, _ moment: RunMoment) -> Duration {
        self.spread(self.doubled(self.minHintRetry, refusals, upTo: self.maxHintRetry), moment)
    }

    private func doubled(_ first: Duration, _ times: Int, upTo longest: Duration) -> Duration {
        min(first * (1 << min(times, 20)), longest)
    }

    private func spread(_ span: Duration, _ moment: RunMoment) -> Duration {
        span + span * (self.jitter * moment.chance)
    }
}

/// The time of an input, and a random number: the machine has neither a clock nor randomness.
package struct RunMoment: Hashable, Sendable {
    /// The time, from 1970-01-01T00:00:00Z.
    package var now: Duration

    /// A random number between 0 and 1.
    package var chance: Double

    /// How many collections the loop has.
    package var collections: Int

    /// Makes a moment.
    package init(now: Duration, chance: Double = 0, collections: Int = 1) {
        self.now = now
        self.chance = chance
        self.collections = collections
    }
}
