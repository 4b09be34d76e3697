/// When the run loop syncs: every span and limit of it, by name (SPEC §10).
///
/// ```swift
/// var plan = RunPlan()
/// plan.quietTime = .seconds(2)             // a form that is saved field by field
/// plan.bytesPerHour = 20_000_000           // on a metered line
/// try await client.run(plan)
/// ```
public struct RunPlan: Hashable, Sendable {
    /// How long after the last edit it is sent: who types makes one request of it.
    public var quietTime = Duration.milliseconds(500)

    /// How long after the first edit it is sent, though more follow without a pause.
    public var longestQuietTime = Duration.seconds(5)

    /// Where no one hints, the first wait before the server is asked again. It doubles each time that nothing came of it;
    /// an edit, a row that came, a hint, or a sync of the app's begins anew.
    public var shortestInterval = Duration.seconds(15)

    /// The longest wait between two questions to the server, unless ``idleRequestsPerHour`` asks for a longer one.
    public var longestInterval = Duration.seconds(300)

    /// How many questions an hour a device may cost at which nothing happens, over all its collections.
    ///
    /// Five minutes between two questions are twelve an hour, for one collection. Ten are the most that an idle device
    /// shall cost, however many collections it has, so with the default the wait grows on to six minutes for one
    /// collection, to twelve for two, and so on. Who wants ``longestInterval`` to be the longest wait for n collections sets
    /// this to 12 times n.
    public var idleRequestsPerHour = 10

    /// How much longer than its span a wait can be, by chance, as a part of it: devices that were cut off together do
    /// not come back together.
    public var spread = 0.1

    /// While the credentials are bad, the wait before they are tried again; it doubles each time.
    public var shortestProbe = Duration.seconds(60)

    /// The longest wait before bad credentials are tried again.
    public var longestProbe = Duration.seconds(3_600)

    /// How many requests a device makes within an hour, before no sync starts any more; nil for any number. A sync that goes
    /// on is not cut off, so the last one may pass it.
    ///
    /// A tenth of it is a reserve for what is edited on this device. The syncs that hints lead to keep a distance, which grows with
    /// what is spent, so that the rest of the budget lasts for the hour: with the default about one second.
    public var requestsPerHour: Int? = 3_600

    /// How many bytes of records and of hints a device sends and receives within an hour, before no sync starts any more; nil
    /// for any number. What HTTP adds to them is not counted, nor what compression saves. It has the same reserve and pace as
    /// ``requestsPerHour``.
    public var bytesPerHour: Int?

    /// Whether a server that hints is listened to: then it is asked when there is something, and not from time to time.
    public var listens = true

    /// How long nothing may be heard of who hints, not even a heartbeat, before the connection counts as broken.
    public var hintSilence = Duration.seconds(45)

    /// How long at most to wait before a connection that broke is made again; it doubles each time, and chance says how much of it
    /// is waited: all who were cut off together do not come back together.
    public var shortestHintWait = Duration.seconds(5)

    /// The longest wait before it is made again. A connection that lasted as long was a good one, and the next wait is a short one.
    public var longestHintWait = Duration.seconds(600)

    /// Where nobody hints, the wait before that is tried again; it doubles each time.
    public var shortestHintProbe = Duration.seconds(3_600)

    /// The longest wait before that is tried again.
    public var longestHintProbe = Duration.seconds(86_400)

    /// How long one connection is listened to, before it is made anew: at its beginning it says how all stands, so that no hint is
    /// lost for longer than this.
    public var longestWatch = Duration.seconds(3_600)

    /// How many events a server may send within a minute on the connection on which it hints, before the client ends the
    /// connection. It is made again after a wait, as one that broke (``shortestHintWait``). Heartbeats count, and so does each
    /// piece in which the events come.
    public var hintEventsPerMinute = 60_000

    /// How many bytes a server may send within a minute on that connection, before the client ends it.
    public var hintBytesPerMinute = 8 << 20

    /// How many collections sync at the same time.
    public var collectionsAtOnce = 4

    /// The plan as it is by default.
    public init() {}
}

extension RunPlan {
    /// How long to wait until the server is asked again.
    ///
    /// - Parameters:
    ///   - vain: How many syncs in a row brought nothing.
    ///   - moment: What chance says, and how many collections share the limit of an idle device.
    func interval(afterVain vain: Int, _ moment: RunMoment) -> Duration {
        let fair = Duration.seconds(3_600) * max(moment.collections, 1) / max(self.idleRequestsPerHour, 1)
        return self.spread(
            self.doubled(self.shortestInterval, vain, upTo: max(self.longestInterval, fair)), moment)
    }

    /// How long to wait until credentials are tried again.
    func probe(after probes: Int, _ moment: RunMoment) -> Duration {
        self.spread(self.doubled(self.shortestProbe, probes, upTo: self.longestProbe), moment)
    }

    /// How long to wait until a connection that hints is made again.
    ///
    /// - Parameter breaks: How many times in a row it broke.
    package func hintWait(after breaks: Int, _ moment: RunMoment) -> Duration {
        let span = self.doubled(self.shortestHintWait, breaks, upTo: self.longestHintWait)
        return span * (0.1 + 0.9 * moment.chance)
    }

    /// How long to wait until it is tried again whether someone hints.
    ///
    /// - Parameter refusals: How many times in a row nobody did.
    package func hintProbe(after refusals: Int, _ moment: RunMoment) -> Duration {
        self.spread(self.doubled(self.shortestHintProbe, refusals, upTo: self.longestHintProbe), moment)
    }

    private func doubled(_ first: Duration, _ times: Int, upTo longest: Duration) -> Duration {
        min(first * (1 << min(times, 20)), longest)
    }

    private func spread(_ span: Duration, _ moment: RunMoment) -> Duration {
        span + span * (self.spread * moment.chance)
    }
}

/// The moment at which something happens, and chance: the machine has neither a clock nor dice.
package struct RunMoment: Hashable, Sendable {
    /// The time, from 1970-01-01T00:00:00Z.
    package var now: Duration

    /// Something between 0 and 1.
    package var chance: Double

    /// How many collections the loop has.
    package var collections: Int

    /// Names a moment.
    package init(now: Duration, chance: Double = 0, collections: Int = 1) {
        self.now = now
        self.chance = chance
        self.collections = collections
    }
}
